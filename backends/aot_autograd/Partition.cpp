#include "backends/aot_autograd/Partition.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Subgraph.h"

#include <c10/core/ScalarType.h>

#include <algorithm>

namespace touchstone::backends {

namespace {

using graph::Node;
using graph::NodeId;
using graph::NodeKind;

/// Has to run even if nobody reads its results.
bool hasEffect(const Node& node) {
  if (node.kind != NodeKind::kOperator) {
    return false;
  }
  const c10::OperatorHandle& op = operatorOf(node.target);
  return traitsOf(op).isRandom || op.schema().returns().empty();
}

bool mayRaiseOnData(const Node& node) {
  if (node.kind != NodeKind::kOperator) {
    return false;
  }
  const RaisesOnData raises = traitsOf(operatorOf(node.target)).raisesOnData;
  const auto isInteger = [&] {
    return node.metadata && at::isIntegralType(static_cast<at::ScalarType>(node.metadata->dtype.value), true);
  };
  return raises == RaisesOnData::kAlways || (raises == RaisesOnData::kForIntegers && isInteger());
}

bool isBackwardEffect(const Node& node, NodeId id, const PartitionInputs& inputs) {
  return node.backward && id >= inputs.backwardBegin && id < inputs.backwardEnd && hasEffect(node);
}

} // namespace

std::vector<NodeId> valuesReadByBackward(const graph::Graph& joint, const PartitionInputs& inputs) {
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
    if (!node.backward) { // a forward value
      read[i] = true;
      continue;
    }
    for (const graph::Argument& argument : node.arguments) {
      graph::forEachReference(argument, [&](NodeId reference) { needed[static_cast<size_t>(reference)] = true; });
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

graph::Graph forwardPart(const graph::Graph& joint, const PartitionInputs& inputs, const std::vector<NodeId>& saved) {
  std::vector<NodeId> outputs = inputs.outputs;
  outputs.insert(outputs.end(), saved.begin(), saved.end());
  return graph::subgraph(joint, inputs.inputs, outputs, [&](NodeId id) {
    const Node& node = joint.node(id);
    return !node.backward && (hasEffect(node) || mayRaiseOnData(node));
  });
}

bool mayRaise(const graph::Graph& forward) {
  return std::any_of(forward.nodes().begin(), forward.nodes().end(), mayRaiseOnData);
}

graph::Graph backwardPart(const graph::Graph& joint, const PartitionInputs& inputs, const std::vector<NodeId>& saved) {
  std::vector<NodeId> taken = saved;
  taken.insert(taken.end(), inputs.tangents.begin(), inputs.tangents.end());
  return graph::subgraph(joint, taken, inputs.gradients,
                         [&](NodeId id) { return isBackwardEffect(joint.node(id), id, inputs); });
}

} // namespace touchstone::backends
