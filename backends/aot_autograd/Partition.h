#pragma once

#include "graph/ir/Graph.h"

#include <vector>

namespace touchstone::backends {

/// A joint Graph cut in two: the forward returns what it returned and then the saved values; the backward takes the saved
/// values and then the tangents, and returns the gradients.
struct Partition {
  graph::Graph forward, backward;
  std::vector<graph::NodeId> saved; // nodes of the joint Graph
};

/// What a joint Graph is cut by; nodes of the joint Graph.
struct PartitionInputs {
  std::vector<graph::NodeId> inputs, tangents; // placeholders
  std::vector<graph::NodeId> outputs, gradients; // -1: None
};

/// The default partition: what was recorded in the forward stays there, and every value of it that the backward reads is
/// saved. Nodes that draw random numbers are kept where they are, used or not: the generator moves on as in eager.
Partition defaultPartition(const graph::Graph& joint, const PartitionInputs& inputs);

/// The values of the forward that the backward part of a joint Graph reads, in order.
std::vector<graph::NodeId> valuesReadByBackward(const graph::Graph& joint, const PartitionInputs& inputs);

} // namespace touchstone::backends
