#include "backends/aot_autograd/Partition.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Subgraph.h"

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
    if (!needed[i] && !(node.backward && hasEffect(node))) {
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

Partition defaultPartition(const graph::Graph& joint, const PartitionInputs& inputs) {
  Partition partition;
  partition.saved = valuesReadByBackward(joint, inputs);
  std::vector<NodeId> outputs = inputs.outputs;
  outputs.insert(outputs.end(), partition.saved.begin(), partition.saved.end());
  partition.forward =
      graph::subgraph(joint, inputs.inputs, outputs, [](const Node& node) { return !node.backward && hasEffect(node); });
  std::vector<NodeId> taken = partition.saved;
  taken.insert(taken.end(), inputs.tangents.begin(), inputs.tangents.end());
  partition.backward =
      graph::subgraph(joint, taken, inputs.gradients, [](const Node& node) { return node.backward && hasEffect(node); });
  return partition;
}

} // namespace touchstone::backends
