#include "backends/partitioners/NodeRoles.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"

#include <c10/core/ScalarType.h>

#include <algorithm>

namespace touchstone::partitioners {

namespace {

using ir::forEachOperand;
using ir::mark;
using ir::Node;
using ir::NodeId;
using ir::spreadToOperands;

/// What functionalization lays out anew has no metadata.
bool givesOneTensor(const Node& node) {
  if (node.metadata || node.kind != ir::NodeKind::kOperator) {
    return node.metadata.has_value();
  }
  const auto& returns = fake::operatorOf(node.target).schema().returns();
  return returns.size() == 1 && returns[0].type()->kind() == c10::TypeKind::TensorType;
}

/// Without metadata: as large as its first operand.
int64_t bytesOf(const Node& node, const std::vector<int64_t>& known) {
  if (!node.metadata) {
    const auto* operand = node.arguments.empty() ? nullptr : std::get_if<ir::NodeReference>(&node.arguments[0].payload);
    return operand != nullptr && givesOneTensor(node) ? known[static_cast<size_t>(operand->node)] : 0;
  }
  return ir::elementCount(*node.metadata) *
         static_cast<int64_t>(c10::elementSize(static_cast<c10::ScalarType>(node.metadata->dtype.value)));
}

} // namespace

NodeRoles rolesOf(const ir::Graph& joint, const PartitionInputs& inputs, RecomputeList list) {
  const auto& nodes = joint.nodes();
  const size_t count = nodes.size();
  const std::vector<bool> none(count, false);
  NodeRoles roles{.isLive = none, .isReturned = none, .isForward = none, .isBackward = none, .isGradient = none};
  mark(roles.isReturned, inputs.outputs);
  mark(roles.isReturned, inputs.gradients);
  mark(roles.isGradient, inputs.gradients);
  mark(roles.isForward, inputs.inputs);
  mark(roles.isForward, inputs.outputs);
  mark(roles.isBackward, inputs.tangents);
  for (size_t i = 0; i < count; ++i) {
    if (hasToRun(joint, static_cast<NodeId>(i), inputs)) {
      (nodes[i].backward ? roles.isBackward : roles.isForward)[i] = true;
    } else if (nodes[i].backward && mayRaiseOnData(nodes[i])) {
      roles.isBackward[i] = true; // the forward must not raise in its place
    }
  }
  roles.isLive = roles.isForward;
  mark(roles.isLive, inputs.gradients);
  for (size_t i = 0; i < count; ++i) {
    roles.isLive[i] = roles.isLive[i] || hasToRun(joint, static_cast<NodeId>(i), inputs);
  }
  spreadToOperands(joint, roles.isLive);
  mark(roles.isLive, inputs.tangents);
  spreadToOperands(joint, roles.isForward);

  roles.order.assign(count, -1);
  roles.users.resize(count);
  roles.kinds.resize(count);
  roles.isTensor = none;
  roles.bytes.assign(count, 0);
  int next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!roles.isLive[i]) {
      roles.isBackward[i] = false;
      continue;
    }
    roles.order[i] = roles.isForward[i] ? next++ : -1;
    roles.bytes[i] = bytesOf(nodes[i], roles.bytes);
    roles.kinds[i] = kindOf(nodes[i], list);
    roles.isTensor[i] = givesOneTensor(nodes[i]);
    forEachOperand(nodes[i], [&](NodeId operand) {
      std::vector<NodeId>& users = roles.users[static_cast<size_t>(operand)];
      if (users.empty() || users.back() != static_cast<NodeId>(i)) {
        users.push_back(static_cast<NodeId>(i));
      }
      roles.isBackward[i] = roles.isBackward[i] || roles.isBackward[static_cast<size_t>(operand)];
    });
    if (nodes[i].kind == ir::NodeKind::kElement) {
      forEachOperand(nodes[i], [&](NodeId tuple) { roles.bytes[static_cast<size_t>(tuple)] += roles.bytes[i]; });
    }
  }
  roles.distance.assign(count, 0);
  for (size_t i = count; i-- > 0;) {
    if (roles.isForward[i]) {
      roles.distance[i] = NodeRoles::kFar;
      for (NodeId user : roles.users[i]) {
        roles.distance[i] = std::min(roles.distance[i], roles.distance[static_cast<size_t>(user)] + 1);
      }
    }
  }
  return roles;
}

} // namespace touchstone::partitioners
