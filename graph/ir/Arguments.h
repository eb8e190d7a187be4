#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::ir {

/// A node's result as an argument.
Argument nodeArgument(NodeId node);

/// A list of whole numbers.
Argument integerList(const std::vector<int64_t>& values);

/// What a Graph returns when it returns several nodes; -1: None.
Argument nodeTuple(const std::vector<NodeId>& nodes);

/// The names of a Graph's placeholders, in order.
std::vector<std::string> placeholderNames(const Graph& graph);

/// The nodes that a Graph with a flat tuple as its output returns; -1: None.
std::vector<NodeId> outputNodes(const Graph& graph);

} // namespace touchstone::ir
