#include "backends/partitioners/RecomputeBans.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <utility>

namespace touchstone::partitioners {

namespace {

using ir::Node;
using ir::NodeId;
using ir::NodeKind;

constexpr int kLongChain = 100;
constexpr int64_t kReductionFactor = 4;

class Bans {
 public:
  Bans(const ir::Graph& joint, const PartitionInputs& inputs, const NodeRoles& roles, const RecomputeRules& rules,
       const std::set<NodeId>& allowed)
      : joint_(joint), inputs_(inputs), roles_(roles), rules_(rules), allowed_(allowed) {
    for (NodeId node = 0; node < nodeCount(); ++node) {
      if (isForward(node)) {
        inOrder_.push_back(node);
      }
    }
  }

  std::set<NodeId> find() {
    banForCertain();
    for (NodeId node = 0; node < nodeCount(); ++node) {
      if (isForward(node) && isBannedByItself(node)) {
        ban(node);
      }
    }
    if (rules_.banFarApart) {
      banUsesFarApart();
    }
    if (rules_.banLongChains) {
      banLongChains();
    }
    return std::move(banned_);
  }

 private:
  NodeId nodeCount() const { return static_cast<NodeId>(joint_.nodes().size()); }
  bool isForward(NodeId node) const { return roles_.isForward[static_cast<size_t>(node)]; }
  int order(NodeId node) const { return roles_.order[static_cast<size_t>(node)]; }
  const std::vector<NodeId>& users(NodeId node) const { return roles_.users[static_cast<size_t>(node)]; }
  const OperatorKind& kind(NodeId node) const { return roles_.kinds[static_cast<size_t>(node)]; }
  bool fuses(NodeId producer, NodeId user) const { return roles_.areFusible(producer, user); }

  void ban(NodeId node) {
    if (!kind(node).isView && !allowed_.contains(node)) {
      banned_.insert(node);
    }
  }

  /// Not a matter of cost: computed again it would be something else.
  void banForCertain() {
    banned_.insert(inputs_.inputs.begin(), inputs_.inputs.end());
    std::set<NodeId> written; // by later nodes
    std::set<int> writtenStorages;
    for (NodeId id = nodeCount(); id-- > 0;) {
      const Node& node = joint_.node(id);
      if (node.kind != NodeKind::kOperator && node.kind != NodeKind::kCallable) {
        continue;
      }
      bool changes = node.kind == NodeKind::kCallable || kind(id).isRandom;
      std::vector<NodeId> targets = node.writes;
      if (node.kind == NodeKind::kOperator) {
        const fake::OperatorTraits& traits = fake::traitsOf(fake::operatorOf(node.target));
        changes = changes || traits.hidesWrites || !traits.writes.empty();
        for (const size_t position : traits.writes) {
          ir::forEachReference(node.arguments.at(position), [&](NodeId target) { targets.push_back(target); });
        }
      }
      for (const ir::Argument& argument : node.arguments) {
        ir::forEachReference(argument, [&](NodeId operand) {
          const auto& metadata = joint_.node(operand).metadata;
          changes = changes || written.contains(operand) || (metadata && writtenStorages.contains(metadata->storage));
        });
      }
      if (changes && isForward(id)) {
        banned_.insert(id);
      }
      for (NodeId target : targets) {
        written.insert(target);
        const auto& metadata = joint_.node(target).metadata;
        if (metadata && metadata->storage >= 0) {
          writtenStorages.insert(metadata->storage);
        }
      }
    }
  }

  bool isBannedByItself(NodeId id) const {
    const Node& node = joint_.node(id);
    if (node.kind != NodeKind::kOperator) {
      return false;
    }
    const OperatorKind& its = kind(id);
    if (its.isLift) {
      return false;
    }
    return (rules_.banUnlisted ? !its.isRecomputable : its.isComputeIntensive) ||
           (rules_.banMaterialized && isMaterializedInBackward(id)) || (rules_.banReductions && isReduction(id));
  }

  /// Seen through views, a node that is not the forward's reads it and cannot be fused with it.
  bool isMaterializedInBackward(NodeId node) const {
    if (kind(node).isView) {
      return false;
    }
    std::vector<NodeId> open{node};
    while (!open.empty()) {
      const NodeId current = open.back();
      open.pop_back();
      if (roles_.isReturned[static_cast<size_t>(current)]) {
        return true;
      }
      for (NodeId user : users(current)) {
        if (!isForward(user) && !fuses(current, user)) {
          return true;
        }
        if (kind(user).isView) {
          open.push_back(user);
        }
      }
    }
    return false;
  }

  bool isReduction(NodeId id) const {
    int64_t operands = 0;
    for (const ir::Argument& argument : joint_.node(id).arguments) {
      if (const auto* operand = std::get_if<ir::NodeReference>(&argument.payload)) {
        operands += roles_.bytes[static_cast<size_t>(operand->node)];
      }
    }
    return roles_.bytes[static_cast<size_t>(id)] * kReductionFactor < operands;
  }

  /// The place in the forward, not behind `last`, of the first node that is reached from these users and cannot be fused
  /// with what it is reached by.
  int firstUnfusible(const std::vector<NodeId>& begin, int last) const {
    std::set<std::pair<int, bool>> open; // place, whether it is fused
    for (NodeId node : begin) {
      open.emplace(order(node), true);
    }
    while (!open.empty()) {
      const auto [place, fused] = *open.begin();
      open.erase(open.begin());
      if (!fused) {
        return place;
      }
      const NodeId node = inOrder_[static_cast<size_t>(place)];
      for (NodeId user : users(node)) {
        if (isForward(user) && order(user) <= last) {
          open.emplace(order(user), fuses(node, user));
        }
      }
    }
    return last;
  }

  void banUsesFarApart() {
    for (NodeId node = 0; node < nodeCount(); ++node) {
      if (!isForward(node)) {
        continue;
      }
      std::vector<NodeId> readers;
      std::copy_if(users(node).begin(), users(node).end(), std::back_inserter(readers),
                   [&](NodeId user) { return isForward(user); });
      if (readers.size() < 2) {
        continue; // nothing lies between them
      }
      const int first = firstUnfusible(readers, order(readers.back()));
      for (NodeId reader : readers) {
        if (order(reader) > first && fuses(node, reader)) {
          ban(reader);
        }
      }
    }
  }

  void banLongChains() {
    std::vector<bool> seen(joint_.nodes().size(), false);
    for (NodeId start = 0; start < nodeCount(); ++start) {
      if (!isForward(start)) {
        continue;
      }
      std::multiset<std::pair<int, NodeId>> open{{order(start), start}};
      while (!open.empty()) {
        const NodeId node = open.begin()->second;
        open.erase(open.begin());
        if (seen[static_cast<size_t>(node)]) {
          continue;
        }
        seen[static_cast<size_t>(node)] = true;
        if (order(node) > order(start) + kLongChain && open.empty()) {
          ban(node);
          break;
        }
        for (NodeId user : users(node)) {
          if (isForward(user) && fuses(node, user) && !banned_.contains(user)) {
            open.emplace(order(user), user);
          }
        }
      }
    }
  }

  const ir::Graph& joint_;
  const PartitionInputs& inputs_;
  const NodeRoles& roles_;
  const RecomputeRules& rules_;
  const std::set<NodeId>& allowed_;
  std::vector<NodeId> inOrder_; // nodes of the forward
  std::set<NodeId> banned_;
};

} // namespace

std::set<NodeId> recomputeBans(const ir::Graph& joint, const PartitionInputs& inputs, const NodeRoles& roles,
                               const RecomputeRules& rules, const std::set<NodeId>& allowed) {
  return Bans(joint, inputs, roles, rules, allowed).find();
}

} // namespace touchstone::partitioners
