#pragma once

#include "graph/ir/Graph.h"
#include "graph/ir/PassGate.h"

#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace touchstone::partitioners {

/// What a joint Graph is cut by; nodes of the joint Graph.
struct PartitionInputs {
  std::vector<ir::NodeId> inputs, tangents; // placeholders
  std::vector<ir::NodeId> outputs, gradients; // -1: None
  /// Among the tangents the token that the effects of the backward begin with; -1: it has none.
  ir::NodeId backwardToken = -1;
  ir::NodeId backwardBegin = 0; // where the recorded backward begins
  ir::NodeId backwardEnd = std::numeric_limits<ir::NodeId>::max();
  /// Whether a value of the forward that the backward reads is saved; otherwise it is computed again in the backward, from
  /// what is saved. Inputs and what was drawn from a generator are saved in any case. Null: everything is.
  std::function<bool(ir::NodeId)> saves;
  std::set<ir::NodeId> kept; // nodes that stay although nobody reads them
  /// Recorded in the backward, but computed by the forward, which saves them.
  std::set<ir::NodeId> movedToForward;
};

/// Has to run in the part in which it was recorded even if nobody reads it: a draw, a write, what returns nothing; of the
/// forward also what may refuse values.
bool hasToRun(const ir::Graph& joint, ir::NodeId node, const PartitionInputs& inputs);
/// Cannot be computed again: an input, or the result of a draw or of an operator with an effect.
bool isSource(const ir::Graph& joint, const ir::Node& node);
/// May raise for values that it is given.
bool mayRaiseOnData(const ir::Node& node);

// The default partition of a joint Graph: what was recorded in the forward stays there, and every value of it that the
// backward reads is saved. Nodes that draw random numbers are kept where they are, used or not: the generator moves on as
// in eager. So are those of the forward that may refuse values: eager would raise.

/// The values of the forward that the backward part of a joint Graph reads, in order.
std::vector<ir::NodeId> valuesReadByBackward(const ir::Graph& joint, const PartitionInputs& inputs);

/// Dead code elimination takes away nodes of the part with `outputs` that nobody reads and that need not run: of the forward,
/// or, with `backward`, of the backward. Those that stay because the gate refuses the pass `dead_code` become kept. Null: none.
void keepDeadNodes(const ir::Graph& joint, PartitionInputs& inputs, const std::vector<ir::NodeId>& outputs,
                   bool backward, ir::PassGate* gate);

/// The forward part as a Graph: returns the outputs, then `saved`.
ir::Graph forwardPart(const ir::Graph& joint, const PartitionInputs& inputs, const std::vector<ir::NodeId>& saved);

/// Some node may raise for values that it is given: an index out of range, a division of integers by zero.
bool mayRaise(const ir::Graph& forward);

/// The backward part as a Graph: takes `saved`, then the tangents.
ir::Graph backwardPart(const ir::Graph& joint, const PartitionInputs& inputs, const std::vector<ir::NodeId>& saved);

} // namespace touchstone::partitioners
