#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace touchstone::fake {

/// Registers `touchstone::cudnn_batch_norm_functional`, once: what cuDNN's batch norm returns, then the running mean and the
/// running variance that `aten::cudnn_batch_norm` writes without its schema saying so. ATen has such a form of its own
/// kernel's alone (`_native_batch_norm_legit_functional`).
void registerFunctionalBatchNorm();

/// Runs cuDNN's batch norm or its backward on meta tensors, for which ATen has no kernel. False, with the stack as it was, for
/// any other operator.
bool runCudnnBatchNormOnMeta(const c10::OperatorHandle& op, torch::jit::Stack* stack);

} // namespace touchstone::fake
