#pragma once

#include "backends/decompositions/DecompositionTable.h"

// Each adds the decompositions of one family of operators. Formulas are those of torch/_decomp/decompositions.py and
// torch/_refs, where rounding in dtypes narrower than float32 is theirs as well: computed in float32, rounded once.

namespace touchstone::backends {

void addActivations(DecompositionTable& table);
/// Operators that libtorch itself computes by others.
void addComposites(DecompositionTable& table);

} // namespace touchstone::backends
