#include "backends/aot_autograd/JointCut.h"

#include "backends/passes/CommonSubexpressions.h"
#include "backends/passes/Expressions.h"
#include "graph/ir/Subgraph.h"
#include "graph/ir/Unsupported.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace touchstone::aot_autograd {

using ir::NodeId;

namespace {

partitioners::SavedChoice chosenBy(const SavedValuesChooser& chooser, const ir::Graph& joint,
                                   const partitioners::PartitionInputs& inputs) {
  partitioners::SavedChoice choice{.values = chooser(joint, inputs), .isLeast = false};
  for (NodeId value : choice.values) {
    const bool isNode = value >= 0 && static_cast<size_t>(value) < joint.nodes().size();
    if (!isNode || value >= inputs.backwardBegin || !joint.node(value).metadata) {
      throw std::invalid_argument("the partitioner wants " +
                                  (isNode ? "`" + joint.node(value).name + "`" : "node " + std::to_string(value)) +
                                  " saved, which is no tensor of the forward");
    }
  }
  return choice;
}

partitioners::SavedChoice chosenThere(const std::vector<NodeId>& values, const ir::Graph& joint) {
  if (std::any_of(values.begin(), values.end(),
                  [&](NodeId value) { return static_cast<size_t>(value) >= joint.nodes().size(); })) {
    throw ir::Unsupported("for other sizes the joint graph is another one");
  }
  return {.values = values, .isLeast = false};
}

/// Eager saves memory that somebody can write to without its noticing: its gradient is of what is there then.
bool savesUnnoticed(const TracedForward& forward, const std::vector<NodeId>& values) {
  const ir::Graph& graph = forward.functionalizer.graph();
  return std::any_of(values.begin(), values.end(), [&](NodeId value) {
    if (!forward.isSeenOutside(value)) {
      return false;
    }
    const NodeId owner = versionOwner(graph, value);
    const int storage = forward.storageOf(value);
    if (forward.trace.recorded().storages[static_cast<size_t>(storage)].input >= 0) {
      return owner >= 0;
    }
    Functionalizer reading = forward.functionalizer; // it may add views
    for (size_t i = 0; i < forward.plan.made.size(); ++i) {
      const int tensor = static_cast<int>(forward.plan.inputs.size() + i);
      if (forward.trace.storageOf(tensor) == storage &&
          versionOwner(reading.graph(), reading.read(forward.trace.nodeOf(tensor))) != owner) {
        return true;
      }
    }
    return false;
  });
}

} // namespace

bool JointCut::isPossible(const TracedForward& forward, const Backwards& backwards) {
  return std::all_of(backwards.begin(), backwards.end(), [&](const auto& ofNode) {
    return ofNode.size() == 1 && ofNode[0].isJoint && !savesUnnoticed(forward, ofNode[0].read);
  });
}

JointCut::JointCut(TracedForward& forward, ir::Graph& joint, const std::vector<NodeId>& outputs,
                   std::shared_ptr<ir::PassGate> gate, bool isFollowed)
    : forward_(forward),
      gate_(std::move(gate)),
      forwardEnd_(static_cast<NodeId>(forward.functionalizer.graph().nodes().size())),
      into_(passes::mergeRepeated(joint, outputs, gate_.get())) {
  for (NodeId id = 0; isFollowed && id < static_cast<NodeId>(joint.nodes().size()); ++id) {
    sameAs_.push_back(id);
    const std::string expression = passes::expressionOf(joint, id, sameAs_);
    if (!expression.empty()) {
      std::vector<NodeId>& same = nodes_[expression];
      same.push_back(id);
      sameAs_.back() = same.front();
    }
  }
}

std::vector<int64_t> JointCut::choose(const ir::Graph& joint, partitioners::PartitionInputs whole, Backwards& backwards,
                                      const AotOptions& options) {
  for (const std::vector<FunctionalBackward>& ofNode : backwards) {
    const partitioners::PartitionInputs& inputs = ofNode[0].inputs;
    whole.tangents.insert(whole.tangents.end(), inputs.tangents.begin(), inputs.tangents.end());
    whole.kept.insert(inputs.kept.begin(), inputs.kept.end());
  }
  whole.backwardBegin = forwardEnd_;
  const std::vector<NodeId> byDefault = partitioners::valuesReadByBackward(joint, whole);
  const std::optional<partitioners::SavedChoice> choice =
      options.savedAsThere != nullptr              ? chosenThere(*options.savedAsThere, joint)
      : options.partition == AotPartition::kChosen ? chosenBy(options.chooseSaved, joint, whole)
                                                   : partitioners::chooseSavedValues(joint, whole, options.minCut);
  const std::vector<NodeId>& values = choice ? choice->values : byDefault;
  chosen_ = values;
  saved_.insert(values.begin(), values.end());
  if (!options.asPyTorch) { // which computes such values again
    for (const std::vector<FunctionalBackward>& ofNode : backwards) {
      saveForEachRoot(joint, ofNode[0].inputs);
    }
  }
  if (gate_ != nullptr) {
    for (const NodeId value : byDefault) {
      if (!saved_.contains(value) && !gate_->mayApply("recomputation", joint.node(value).name)) {
        saved_.insert(value);
      }
    }
    std::erase_if(saved_, [&](NodeId value) {
      const ir::Node& node = joint.node(value);
      return !partitioners::isSource(joint, node) && !gate_->mayApply("saved_values", node.name);
    });
  }
  for (const NodeId value : saved_) {
    if (value >= forwardEnd_) {
      const auto& metadata = joint.node(value).metadata;
      forward_.movedStorages[value] = metadata ? metadata->storage : -1;
    }
  }
  for (std::vector<FunctionalBackward>& ofNode : backwards) {
    for (const auto& [moved, storage] : forward_.movedStorages) {
      ofNode[0].inputs.movedToForward.insert(moved);
    }
    take(joint, saved_, ofNode[0]);
  }
  for (std::vector<FunctionalBackward>& ofNode : backwards) {
    saveForOthers(joint, ofNode[0]);
  }
  return choice && choice->isLeast ? choice->costs.capacity : std::vector<int64_t>();
}

/// A backward from one root alone reads less than that from all. What it would compute again from memory that others can
/// write to is saved, unless eager looks at a version of that memory for this root, too: it would raise for such a write.
void JointCut::saveForEachRoot(const ir::Graph& graph, const partitioners::PartitionInputs& inputs) {
  if (inputs.tangents.size() < 2) {
    return;
  }
  const size_t count = graph.nodes().size();
  std::vector<bool> isLive(count, false);
  ir::mark(isLive, inputs.gradients);
  ir::spreadToOperands(graph, isLive);
  const auto readsAny = [&](NodeId id, const std::vector<bool>& marked) {
    bool any = false;
    ir::forEachOperand(graph.node(id), [&](NodeId operand) { any = any || marked[static_cast<size_t>(operand)]; });
    return any;
  };
  const auto gradientsOf = [&](const std::vector<NodeId>& tangents) {
    std::vector<bool> gradients(count, false);
    ir::mark(gradients, tangents);
    for (NodeId id = inputs.backwardBegin; id < std::min(inputs.backwardEnd, static_cast<NodeId>(count)); ++id) {
      const auto i = static_cast<size_t>(id);
      gradients[i] = gradients[i] || (isLive[i] && readsAny(id, gradients));
    }
    return gradients;
  };
  std::vector<int> seen; // by node of the forward: the storage that others can write to; -1: none
  for (NodeId id = 0; id < forwardEnd_; ++id) {
    seen.push_back(forward_.isSeenOutside(id) ? forward_.storageOf(id) : -1);
  }
  const std::vector<bool> gradients = gradientsOf(inputs.tangents);
  for (const NodeId tangent : inputs.tangents) {
    if (tangent == inputs.backwardToken) {
      continue; // no root
    }
    std::vector<bool> read(count, false); // what the gradients of this root are computed with
    const std::vector<bool> ofRoot = gradientsOf({tangent});
    for (size_t i = 0; i < count; ++i) {
      if (ofRoot[i]) {
        ir::forEachOperand(graph.nodes()[i], [&](NodeId operand) {
          const auto at = static_cast<size_t>(operand);
          read[at] = read[at] || !gradients[at];
        });
      }
    }
    ir::spreadToOperands(graph, read, [&](NodeId value) { return value < forwardEnd_; });
    std::set<int> looked{-1};
    for (size_t i = 0; i < seen.size(); ++i) {
      if (read[i]) {
        looked.insert(seen[i]);
      }
    }
    std::vector<bool> fromElsewhere(count, false); // computed again from memory whose version nobody looks at
    for (NodeId id = 0; id < forwardEnd_; ++id) {
      const auto i = static_cast<size_t>(id);
      fromElsewhere[i] = seen[i] >= 0 ? !looked.contains(seen[i]) : !saved_.contains(id) && readsAny(id, fromElsewhere);
      if (read[i] && fromElsewhere[i]) {
        saved_.insert(id);
        fromElsewhere[i] = false;
      }
    }
  }
}

/// A backward that is recorded later reads of what eager saves, but perhaps not what this one computes from that: what
/// cannot be computed from what is saved is saved, too.
void JointCut::saveForOthers(const ir::Graph& graph, FunctionalBackward& backward) const {
  std::set<NodeId> saved(backward.read.begin(), backward.read.end()), eager;
  saved.insert(backward.checked.begin(), backward.checked.end());
  std::transform(backward.eager.begin(), backward.eager.end(), std::inserter(eager, eager.end()),
                 [&](NodeId value) { return into_[static_cast<size_t>(value)]; });
  std::vector<bool> isKnown; // by node of the forward: saved, or computed from what is
  for (NodeId id = 0; id < forwardEnd_; ++id) {
    const ir::Node& node = graph.node(id);
    bool known = !partitioners::isSource(graph, node) && !passes::mayWrite(node);
    for (const ir::Argument& argument : node.arguments) {
      ir::forEachReference(argument, [&](NodeId operand) { known = known && isKnown[static_cast<size_t>(operand)]; });
    }
    isKnown.push_back(known || saved.contains(id));
    if (!isKnown.back() && eager.contains(id)) {
      spare(graph, id, saved, backward);
      isKnown.back() = true;
    }
  }
}

/// Saves a value, or, where the gate forbids it, what it is computed from.
void JointCut::spare(const ir::Graph& graph, NodeId value, std::set<NodeId>& saved,
                     FunctionalBackward& backward) const {
  std::vector<NodeId> values{value};
  if (gate_ != nullptr && !partitioners::isSource(graph, graph.node(value)) &&
      !gate_->mayApply("saved_values", graph.node(value).name)) {
    partitioners::PartitionInputs inputs;
    inputs.gradients = {value};
    inputs.backwardEnd = 0; // of the forward alone
    inputs.saves = [&](NodeId node) { return saved.contains(node); };
    values = partitioners::valuesReadByBackward(graph, inputs);
  }
  for (NodeId each : values) {
    if (saved.insert(each).second) {
      backward.spared.push_back(each);
    }
  }
}

void JointCut::follow(size_t node, const SavedValues& ofForward, ir::Graph& graph, FunctionalBackward& backward) const {
  std::set<NodeId> saved; // by what the node keeps
  for (const size_t position : ofForward.byNode[node]) {
    saved.insert(ofForward.nodes[position]);
  }
  std::vector<NodeId> into, sameAs; // by node; sameAs: in the joint Graph; -1: it has no such node
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    if (id < forwardEnd_) {
      into.push_back(into_[static_cast<size_t>(id)]);
      sameAs.push_back(sameAs_[static_cast<size_t>(id)]);
      continue;
    }
    into.push_back(id);
    sameAs.push_back(-1);
    const std::string expression = passes::expressionOf(graph, id, sameAs);
    const auto known = expression.empty() ? nodes_.end() : nodes_.find(expression);
    if (known == nodes_.end()) {
      continue;
    }
    const std::vector<NodeId>& same = known->second;
    sameAs.back() = same.front();
    const auto kept = std::find_if(same.begin(), same.end(), [&](NodeId each) { return saved.contains(each); });
    if (kept == same.end()) {
      continue; // computed from what can be computed; an equal value of the forward perhaps cannot
    }
    if (*kept < forwardEnd_) {
      into.back() = *kept;
    } else {
      backward.inputs.movedToForward.insert(id);
      backward.savedAs.emplace(id, *kept);
    }
  }
  passes::redirect(graph, into);
  for (NodeId& gradient : backward.inputs.gradients) {
    gradient = gradient < 0 ? gradient : into[static_cast<size_t>(gradient)];
  }
  take(graph, saved, backward);
  std::erase_if(backward.checked, [&](NodeId value) { return !saved.contains(value); });
}

/// What the backward reads, and what else of that which eager saves has a version that somebody may change.
void JointCut::take(const ir::Graph& graph, const std::set<NodeId>& saved, FunctionalBackward& backward) const {
  backward.eager = std::move(backward.read);
  backward.inputs.saves = [saved](NodeId node) { return saved.contains(node); };
  backward.read = partitioners::valuesReadByBackward(graph, backward.inputs);
  const std::set<NodeId> read(backward.read.begin(), backward.read.end());
  std::copy_if(backward.eager.begin(), backward.eager.end(), std::back_inserter(backward.checked),
               [&](NodeId value) { return read.contains(value) || forward_.isSeenOutside(value); });
}

void JointCut::spareCopies(const Backwards& byNode, std::set<NodeId>& copied) const {
  std::erase_if(copied, [&](NodeId value) {
    const int storage = forward_.storageOf(value);
    return storage >= 0 && std::all_of(byNode.begin(), byNode.end(), [&](const auto& backwards) {
             return std::all_of(backwards.begin(), backwards.end(), [&](const FunctionalBackward& backward) {
               const bool isRead =
                   std::find(backward.read.begin(), backward.read.end(), value) != backward.read.end() ||
                   std::find(backward.spared.begin(), backward.spared.end(), value) != backward.spared.end();
               return !isRead || std::any_of(backward.checked.begin(), backward.checked.end(),
                                             [&](NodeId checked) { return forward_.storageOf(checked) == storage; });
             });
           });
  });
}

} // namespace touchstone::aot_autograd
