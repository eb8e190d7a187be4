#pragma once

namespace touchstone::backends {

/// Registers `touchstone::cudnn_batch_norm_functional`, once: what cuDNN's batch norm returns, then the running mean and the
/// running variance that `aten::cudnn_batch_norm` writes without its schema saying so. ATen has such a form of its own
/// kernel's alone (`_native_batch_norm_legit_functional`).
void registerFunctionalBatchNorm();

} // namespace touchstone::backends
