#pragma once

#include "backends/decompositions/DecompositionTable.h"

#include <memory>

namespace touchstone::decompositions {

/// What PyTorch's Python dispatcher puts in the place of operators while AOTAutograd traces, above autograd: the kernels that
/// torch/_decomp/decompositions.py and torch/_refs register for the Autograd and CompositeImplicitAutograd keys. Unlike the
/// other tables' these take any inputs, and compute as PyTorch's formulas do where those round otherwise than the operator.
std::shared_ptr<const DecompositionTable> tracingDecompositions();

} // namespace touchstone::decompositions
