#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::backends {

/// The Graph without the nodes that its output does not need. What does more than give a value stays: writes, draws (the
/// generator moves on), callables, what returns nothing, and what may refuse values. All placeholders stay, in order.
graph::Graph withoutDeadCode(const graph::Graph& graph);

} // namespace touchstone::backends
