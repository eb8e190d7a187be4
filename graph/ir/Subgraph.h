#pragma once

#include "graph/ir/Graph.h"

#include <functional>

namespace touchstone::graph {

/// The part of a Graph that computes `outputs` from `inputs`, as a Graph of its own: a placeholder for each input, in
/// order, and what lies between. A node that is not needed is left out unless `keep` says otherwise; null: none is kept.
/// An output of -1 becomes None. Throws std::logic_error when an output or a kept node depends on a placeholder that is
/// not among the inputs.
Graph subgraph(const Graph& graph, const std::vector<NodeId>& inputs, const std::vector<NodeId>& outputs,
               const std::function<bool(NodeId)>& keep = nullptr);

/// Calls `visit` with each node that an argument refers to.
void forEachReference(const Argument& argument, const std::function<void(NodeId)>& visit);

} // namespace touchstone::graph
