#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace touchstone::backends {

/// What a joint Graph is cut by; nodes of the joint Graph.
struct PartitionInputs {
  std::vector<graph::NodeId> inputs, tangents; // placeholders
  std::vector<graph::NodeId> outputs, gradients; // -1: None
  graph::NodeId backwardBegin = 0; // where the recorded backward begins
  graph::NodeId backwardEnd = std::numeric_limits<graph::NodeId>::max();
  /// Whether a value of the forward that the backward reads is saved; otherwise it is computed again in the backward, from
  /// what is saved. Inputs and what was drawn from a generator are saved in any case. Null: everything is.
  std::function<bool(graph::NodeId)> saves;
  std::set<graph::NodeId> kept; // nodes that stay although nobody reads them
  /// Recorded in the backward, but computed by the forward, which saves them.
  std::set<graph::NodeId> movedToForward;
};

/// Has to run in the part in which it was recorded even if nobody reads it: a draw, a write, what returns nothing; of the
/// forward also what may refuse values.
bool hasToRun(const graph::Graph& joint, graph::NodeId node, const PartitionInputs& inputs);
/// Cannot be computed again: an input, or the result of a draw.
bool isSource(const graph::Graph& joint, const graph::Node& node);
/// May raise for values that it is given.
bool mayRaiseOnData(const graph::Node& node);

// The default partition of a joint Graph: what was recorded in the forward stays there, and every value of it that the
// backward reads is saved. Nodes that draw random numbers are kept where they are, used or not: the generator moves on as
// in eager. So are those of the forward that may refuse values: eager would raise.

/// The values of the forward that the backward part of a joint Graph reads, in order.
std::vector<graph::NodeId> valuesReadByBackward(const graph::Graph& joint, const PartitionInputs& inputs);

/// Nodes of the part with `outputs` that nobody reads and that need not run, in order: of the forward, or, with `backward`,
/// of the backward. What dead code elimination takes away.
std::vector<graph::NodeId> deadNodes(const graph::Graph& joint, const PartitionInputs& inputs,
                                     const std::vector<graph::NodeId>& outputs, bool backward);

/// The forward part as a Graph: returns the outputs, then `saved`.
graph::Graph forwardPart(const graph::Graph& joint, const PartitionInputs& inputs,
                         const std::vector<graph::NodeId>& saved);

/// Some node may raise for values that it is given: an index out of range, a division of integers by zero.
bool mayRaise(const graph::Graph& forward);

/// The backward part as a Graph: takes `saved`, then the tangents.
graph::Graph backwardPart(const graph::Graph& joint, const PartitionInputs& inputs,
                          const std::vector<graph::NodeId>& saved);

} // namespace touchstone::backends
