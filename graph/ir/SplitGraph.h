#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <vector>

namespace touchstone::ir {

/// A part of a Graph, as a Graph of its own.
struct GraphPart {
  int partition = 0;
  Graph graph; // returns a flat tuple
  std::vector<NodeId> inputs; // of the whole Graph, by placeholder of the part
  std::vector<NodeId> outputs; // of the whole Graph: what later parts and the output read
};

/// Cuts a Graph into parts that, run in turn, do what it does: the role of torch.fx.passes.split_module. `partitionOf` is
/// asked for each operator and callable; elements go with what they are elements of, constants with what reads them
/// first. What belongs to a negative partition is left out; only what is left out as well may read it. Parts are numbered in the order in which they run. Throws std::invalid_argument when a partition would have to
/// run again after another has begun: the order of writes would change.
std::vector<GraphPart> splitGraph(const Graph& graph, const std::function<int(const Node& node)>& partitionOf);

} // namespace touchstone::ir
