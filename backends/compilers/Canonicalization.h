#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::compilers {

/// Calls of `_to_copy` that change the dtype alone become `to`, which TorchScript knows, and devices lose their number, as
/// torch/_functorch/compilers.py (ts_compile) has it. `to` is told to copy: there it may give its operand back, which eager
/// does not. Returns how many nodes have changed.
int64_t canonicalizeForTorchScript(ir::Graph& graph);

} // namespace touchstone::compilers
