#include "backends/partitioners/MinCutPartition.h"

#include "backends/partitioners/MemoryBudget.h"
#include "backends/partitioners/MinimumCut.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace touchstone::partitioners {

namespace {

using ir::NodeId;
using ir::NodeKind;

constexpr double kCostOfAStep = 1.1;
constexpr int kCountedSteps = 100;

/// Two vertices a node: an edge between them, which stands for saving it; edges to those that read it.
class JointNetwork {
 public:
  JointNetwork(const ir::Graph& joint, const NodeRoles& roles, const CutCosts& costs, const std::set<NodeId>& banned)
      : before_(joint.nodes().size(), -1), after_(joint.nodes().size(), -1) {
    for (size_t i = 0; i < before_.size(); ++i) {
      if (roles.isLive[i]) {
        before_[i] = network_.addVertex();
        after_[i] = roles.isBackward[i] ? before_[i] : network_.addVertex();
      }
    }
    for (size_t i = 0; i < before_.size(); ++i) {
      if (!roles.isLive[i]) {
        continue;
      }
      if (roles.isBackward[i]) {
        network_.addUnlimitedEdge(before_[i], FlowNetwork::kSink);
        continue;
      }
      if (roles.isGradient[i]) {
        network_.addUnlimitedEdge(after_[i], FlowNetwork::kSink);
      }
      if (banned.contains(static_cast<NodeId>(i))) {
        network_.addUnlimitedEdge(FlowNetwork::kSource, before_[i]);
      }
      if (costs.capacity[i] == CutCosts::kUnlimited) {
        network_.addUnlimitedEdge(before_[i], after_[i]);
      } else {
        network_.addEdge(before_[i], after_[i], costs.capacity[i]);
      }
      for (NodeId user : roles.users[i]) {
        network_.addUnlimitedEdge(after_[i], before_[static_cast<size_t>(user)]);
      }
    }
  }

  /// The nodes whose own edges are cut.
  std::optional<std::vector<NodeId>> cutNodes() const {
    const std::optional<FlowNetwork::Cut> cut = network_.minimumCut();
    if (!cut) {
      return std::nullopt;
    }
    std::vector<NodeId> nodes;
    for (size_t i = 0; i < before_.size(); ++i) {
      if (before_[i] >= 0 && !cut->onSinkSide[static_cast<size_t>(before_[i])] &&
          cut->onSinkSide[static_cast<size_t>(after_[i])]) {
        nodes.push_back(static_cast<NodeId>(i));
      }
    }
    return nodes;
  }

 private:
  FlowNetwork network_;
  std::vector<int> before_, after_; // vertices, by node; -1: nobody needs it
};

} // namespace

CutCosts cutCosts(const ir::Graph& joint, const NodeRoles& roles) {
  CutCosts costs;
  for (size_t i = 0; i < joint.nodes().size(); ++i) {
    const ir::Node& node = joint.nodes()[i];
    if (!roles.isTensor[i] || node.kind == NodeKind::kConstant) { // a tuple; what both parts have anyway
      costs.capacity.push_back(CutCosts::kUnlimited);
      continue;
    }
    const int steps = std::clamp(roles.distance[i], 1, kCountedSteps);
    const auto bytes = static_cast<double>(roles.bytes[i]);
    const auto weight = static_cast<int64_t>(bytes * std::pow(kCostOfAStep, steps));
    const std::vector<NodeId>& users = roles.users[i];
    const bool isMaterialized = node.kind == NodeKind::kPlaceholder || roles.isReturned[i] ||
                                !std::all_of(users.begin(), users.end(), [&](NodeId user) {
                                  return roles.areFusible(static_cast<NodeId>(i), user);
                                });
    costs.capacity.push_back(isMaterialized ? weight : 2 * weight);
  }
  return costs;
}

std::optional<SavedChoice> chooseSavedValues(const ir::Graph& joint, const PartitionInputs& inputs,
                                             const MinCutOptions& options) {
  if (!(options.memoryBudget >= 0 && options.memoryBudget <= 1)) {
    throw std::invalid_argument("The memory budget of a partition is " + std::to_string(options.memoryBudget) +
                                "; it lies between 0 (save the inputs alone) and 1 (no limit).");
  }
  const NodeRoles roles = rolesOf(joint, inputs, options.list);
  if (std::none_of(roles.isBackward.begin(), roles.isBackward.end(), [](bool is) { return is; }) &&
      std::none_of(roles.isGradient.begin(), roles.isGradient.end(), [](bool is) { return is; })) {
    return std::nullopt;
  }
  SavedChoice choice{.costs = cutCosts(joint, roles)};
  const Solve solve = [&](const RecomputeRules& rules, const std::set<NodeId>& allowed) {
    Solution solution{.banned = recomputeBans(joint, inputs, roles, rules, allowed)};
    solution.saved = JointNetwork(joint, roles, choice.costs, solution.banned).cutNodes();
    return solution;
  };
  std::optional<std::vector<NodeId>> saved = solve(options.rules, {}).saved;
  if (saved && options.memoryBudget < 1) {
    choice.isLeast = false;
    saved = savedWithin(options.memoryBudget, std::move(*saved), joint, inputs, roles, options.rules, solve);
  }
  if (!saved) {
    return std::nullopt;
  }
  choice.values = std::move(*saved);
  return choice;
}

} // namespace touchstone::partitioners
