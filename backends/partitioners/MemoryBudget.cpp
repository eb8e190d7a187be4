#include "backends/partitioners/MemoryBudget.h"

#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace touchstone::partitioners {

namespace {

using ir::Node;
using ir::NodeId;

constexpr double kParts = 10000;

double sizeOf(const NodeRoles& roles, const std::vector<NodeId>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0, [&](double sum, NodeId node) {
    return sum + static_cast<double>(roles.bytes[static_cast<size_t>(node)]);
  });
}

/// Multiplications and additions of a product of matrices or a convolution: two for each element of the result and each
/// element of the row that is summed up. Everything else is 1.
double workOf(const ir::Graph& joint, const Node& node) {
  struct Product {
    std::string_view target;
    size_t left; // the argument with a row for each row of the result
    size_t summed; // its dimension that is summed up
  };
  constexpr Product kProducts[]{
      {"aten::mm", 0, 1}, {"aten::addmm", 1, 1}, {"aten::bmm", 0, 2}, {"aten::baddbmm", 1, 2}};
  const auto operand = [&](size_t position) -> const ir::TensorMetadata* {
    const auto* reference = std::get_if<ir::NodeReference>(&node.arguments[position].payload);
    return reference != nullptr && joint.node(reference->node).metadata ? &*joint.node(reference->node).metadata
                                                                        : nullptr;
  };
  if (!node.metadata) {
    return 1;
  }
  const auto results = static_cast<double>(ir::elementCount(*node.metadata));
  for (const Product& product : kProducts) {
    const ir::TensorMetadata* matrix = node.target == product.target ? operand(product.left) : nullptr;
    if (matrix != nullptr) {
      return std::max(1.0, 2 * results * static_cast<double>(matrix->sizes.at(product.summed)));
    }
  }
  if (node.target == "aten::convolution") {
    const ir::TensorMetadata* weight = operand(1);
    if (weight != nullptr && !weight->sizes.empty() && weight->sizes[0] > 0) {
      return std::max(1.0, 2 * results * static_cast<double>(ir::elementCount(*weight) / weight->sizes[0]));
    }
  }
  return 1;
}

/// Banned by a rule, so that it may be computed again after all, and in memory of its own.
std::vector<NodeId> candidates(const ir::Graph& joint, const PartitionInputs& inputs, const NodeRoles& roles,
                               const std::set<NodeId>& banned, const std::set<NodeId>& bannedForCertain) {
  std::set<int> inputStorages;
  for (NodeId input : inputs.inputs) {
    inputStorages.insert(joint.node(input).metadata ? joint.node(input).metadata->storage : -1);
  }
  std::vector<NodeId> found;
  for (NodeId node : banned) {
    const auto& metadata = joint.node(node).metadata;
    const bool isInput = metadata && metadata->storage >= 0 && inputStorages.contains(metadata->storage);
    if (!bannedForCertain.contains(node) && !isInput && roles.distance[static_cast<size_t>(node)] < NodeRoles::kFar) {
      found.push_back(node);
    }
  }
  std::stable_sort(found.begin(), found.end(), [&](NodeId left, NodeId right) {
    return roles.bytes[static_cast<size_t>(left)] > roles.bytes[static_cast<size_t>(right)];
  });
  return found;
}

} // namespace

std::vector<size_t> knapsack(const std::vector<double>& memory, const std::vector<double>& worth, double limit) {
  const auto room = static_cast<size_t>(std::llround(limit * kParts));
  std::vector<double> best(room + 1, 0); // of the items so far, by room
  std::vector<std::vector<bool>> isTaken; // by item, by room
  std::vector<size_t> sizes;
  for (size_t i = 0; i < memory.size(); ++i) {
    sizes.push_back(static_cast<size_t>(std::llround(memory[i] * kParts)));
    isTaken.emplace_back(room + 1, false);
    for (size_t part = room + 1; part-- > sizes[i];) { // downwards: the item is there once
      const double taken = best[part - sizes[i]] + worth[i];
      if (taken > best[part]) {
        best[part] = taken;
        isTaken[i][part] = true;
      }
    }
  }
  std::vector<size_t> kept;
  size_t part = room;
  for (size_t i = memory.size(); i-- > 0;) {
    if (isTaken[i][part]) {
      kept.push_back(i);
      part -= sizes[i];
    }
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::optional<std::vector<NodeId>> savedWithin(double budget, std::vector<NodeId> saved, const ir::Graph& joint,
                                               const PartitionInputs& inputs, const NodeRoles& roles,
                                               RecomputeRules rules, const Solve& solve) {
  if (budget == 0) {
    return inputs.inputs;
  }
  const double least = sizeOf(roles, inputs.inputs), most = sizeOf(roles, saved);
  if (most <= least) {
    return saved;
  }
  const auto share = [&](const std::vector<NodeId>& values) {
    return (sizeOf(roles, values) - least) / (most - least);
  };
  rules.banFarApart = rules.banLongChains = rules.banMaterialized = false;
  std::optional<std::vector<NodeId>> laxer = solve(rules, {}).saved;
  if (laxer && share(*laxer) < budget) {
    return laxer;
  }
  rules.banUnlisted = false;
  const Solution laxest = solve(rules, {});
  if (laxest.saved && share(*laxest.saved) < budget) {
    return laxest.saved;
  }
  RecomputeRules none = rules;
  none.banReductions = false;
  const std::set<NodeId> all(laxest.banned.begin(), laxest.banned.end());
  const std::set<NodeId> forCertain = solve(none, all).banned;
  const std::vector<NodeId> open = candidates(joint, inputs, roles, laxest.banned, forCertain);
  if (open.empty()) {
    return inputs.inputs;
  }
  std::vector<double> memory, work;
  for (NodeId node : open) {
    memory.push_back(static_cast<double>(roles.bytes[static_cast<size_t>(node)]) / (most - least));
    work.push_back(workOf(joint, joint.node(node)));
  }
  std::set<NodeId> again(open.begin(), open.end());
  for (size_t kept : knapsack(memory, work, budget)) {
    again.erase(open[kept]);
  }
  return solve(rules, again).saved;
}

} // namespace touchstone::partitioners
