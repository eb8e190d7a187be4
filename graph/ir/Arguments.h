#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::graph {

/// A node's result as an argument.
Argument nodeArgument(NodeId node);

/// A list of whole numbers.
Argument integerList(const std::vector<int64_t>& values);

/// What a Graph returns when it returns several nodes; -1: None.
Argument nodeTuple(const std::vector<NodeId>& nodes);

} // namespace touchstone::graph
