#pragma once

namespace touchstone::transforms {

/// Registers, once, what PyTorch's Python registers when the first vmap runs: operators that have no batching rule as
/// compositions of others (`torch/_functorch/predispatch.py`, lazy_load_decompositions). Nothing where Python has been before.
void registerVmapDecompositions();

} // namespace touchstone::transforms
