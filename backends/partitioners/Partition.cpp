#include "backends/partitioners/Partition.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Subgraph.h"

#include <c10/core/ScalarType.h>

#include <algorithm>

namespace touchstone::partitioners {

namespace {

using ir::Node;
using ir::NodeId;
using ir::NodeKind;

/// Has to run even if nobody reads its results.
bool hasEffect(const Node& node) {
  if (node.kind != NodeKind::kOperator) {
    return false;
  }
  const c10::OperatorHandle& op = fake::operatorOf(node.target);
  return fake::traitsOf(op).isRandom || !fake::traitsOf(op).writes.empty() || op.schema().returns().empty();
}

bool isBackwardEffect(const Node& node, NodeId id, const PartitionInputs& inputs) {
  return node.backward && id >= inputs.backwardBegin && id < inputs.backwardEnd &&
         (hasEffect(node) || inputs.kept.contains(id));
}

bool isForwardEffect(const Node& node, NodeId id, const PartitionInputs& inputs) {
  return !node.backward && (hasEffect(node) || mayRaiseOnData(node) || inputs.kept.contains(id));
}

} // namespace

bool mayRaiseOnData(const Node& node) {
  if (node.kind != NodeKind::kOperator) {
    return false;
  }
  const fake::RaisesOnData raises = fake::traitsOf(fake::operatorOf(node.target)).raisesOnData;
  const auto isInteger = [&] {
    return node.metadata && at::isIntegralType(static_cast<at::ScalarType>(node.metadata->dtype.value), true);
  };
  return raises == fake::RaisesOnData::kAlways || (raises == fake::RaisesOnData::kForIntegers && isInteger());
}

bool isSource(const ir::Graph& joint, const Node& node) {
  if (node.kind == NodeKind::kElement) {
    const auto* tuple = std::get_if<ir::NodeReference>(&node.arguments[0].payload);
    return tuple != nullptr && isSource(joint, joint.node(tuple->node));
  }
  return node.kind == NodeKind::kPlaceholder ||
         (node.kind == NodeKind::kOperator && (fake::traitsOf(fake::operatorOf(node.target)).isRandom ||
                                               fake::traitsOf(fake::operatorOf(node.target)).isEffect));
}

bool hasToRun(const ir::Graph& joint, NodeId node, const PartitionInputs& inputs) {
  return isForwardEffect(joint.node(node), node, inputs) || isBackwardEffect(joint.node(node), node, inputs);
}

std::vector<NodeId> valuesReadByBackward(const ir::Graph& joint, const PartitionInputs& inputs) {
  const auto& nodes = joint.nodes();
  std::vector<bool> needed(nodes.size(), false), read(nodes.size(), false);
  for (NodeId gradient : inputs.gradients) {
    if (gradient >= 0) {
      needed[static_cast<size_t>(gradient)] = true;
    }
  }
  auto isTangent = [&](NodeId node) {
    return std::find(inputs.tangents.begin(), inputs.tangents.end(), node) != inputs.tangents.end();
  };
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    if (!needed[i] && !isBackwardEffect(node, static_cast<NodeId>(i), inputs)) {
      continue;
    }
    if (node.kind == NodeKind::kConstant || isTangent(static_cast<NodeId>(i))) {
      continue;
    }
    if (inputs.movedToForward.contains(static_cast<NodeId>(i))) {
      read[i] = true;
      continue;
    }
    if (!node.backward && (!inputs.saves || isSource(joint, node) || inputs.saves(static_cast<NodeId>(i)))) {
      read[i] = true;
      continue;
    }
    for (const ir::Argument& argument : node.arguments) {
      ir::forEachReference(argument, [&](NodeId reference) { needed[static_cast<size_t>(reference)] = true; });
    }
  }
  std::vector<NodeId> values;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (read[i]) {
      values.push_back(static_cast<NodeId>(i));
    }
  }
  return values;
}

void keepDeadNodes(const ir::Graph& joint, PartitionInputs& inputs, const std::vector<NodeId>& outputs, bool backward,
                   ir::PassGate* gate) {
  if (gate == nullptr) {
    return;
  }
  const auto& nodes = joint.nodes();
  std::vector<bool> needed(nodes.size(), false);
  for (NodeId output : outputs) {
    if (output >= 0) {
      needed[static_cast<size_t>(output)] = true;
    }
  }
  std::vector<NodeId> dead;
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    const auto id = static_cast<NodeId>(i);
    if (needed[i] || (backward ? isBackwardEffect(node, id, inputs) : isForwardEffect(node, id, inputs))) {
      for (const ir::Argument& argument : node.arguments) {
        ir::forEachReference(argument, [&](NodeId reference) { needed[static_cast<size_t>(reference)] = true; });
      }
    } else if (node.kind == NodeKind::kOperator && node.backward == backward &&
               (!backward || (id >= inputs.backwardBegin && id < inputs.backwardEnd))) {
      dead.push_back(id);
    }
  }
  for (auto each = dead.rbegin(); each != dead.rend(); ++each) { // in order
    if (!gate->mayApply("dead_code", joint.node(*each).name)) {
      inputs.kept.insert(*each);
    }
  }
}

ir::Graph forwardPart(const ir::Graph& joint, const PartitionInputs& inputs, const std::vector<NodeId>& saved) {
  std::vector<NodeId> outputs = inputs.outputs;
  outputs.insert(outputs.end(), saved.begin(), saved.end());
  return ir::subgraph(joint, inputs.inputs, outputs,
                      [&](NodeId id) { return isForwardEffect(joint.node(id), id, inputs); });
}

bool mayRaise(const ir::Graph& forward) {
  return std::any_of(forward.nodes().begin(), forward.nodes().end(), mayRaiseOnData);
}

ir::Graph backwardPart(const ir::Graph& joint, const PartitionInputs& inputs, const std::vector<NodeId>& saved) {
  std::vector<NodeId> taken = saved;
  taken.insert(taken.end(), inputs.tangents.begin(), inputs.tangents.end());
  return ir::subgraph(joint, taken, inputs.gradients,
                      [&](NodeId id) { return isBackwardEffect(joint.node(id), id, inputs); });
}

} // namespace touchstone::partitioners
