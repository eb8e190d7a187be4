// CompiledAotGraph under a min-cut partition: the joint Graph is cut once, and backwards that are recorded later, for other
// outputs or another layout of tangents, read what that cut has saved.

#include "backends/aot_autograd/CompiledAotGraph.h"

#include "backends/passes/Expressions.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::aot_autograd {

using ir::NodeId;

/// A tensor that somebody outside of the compiled Graphs has may lie in its memory.
bool CompiledAotGraph::isSeenOutside(NodeId value) const {
  const int storage = storageOfValue(value);
  return storage >= 0 && (trace_.recorded().storages[static_cast<size_t>(storage)].input >= 0 ||
                          std::find(memoryStorages_.begin(), memoryStorages_.end(), static_cast<size_t>(storage)) !=
                              memoryStorages_.end());
}

NodeId versionOwner(const ir::Graph& graph, NodeId value) {
  while (graph.node(value).kind == ir::NodeKind::kOperator && !graph.node(value).arguments.empty()) {
    if (graph.node(value).target == "aten::_unsafe_view") {
      return value;
    }
    const auto* operand = std::get_if<ir::NodeReference>(&graph.node(value).arguments[0].payload);
    if (operand == nullptr || !graph.node(value).metadata || !graph.node(operand->node).metadata ||
        graph.node(value).metadata->storage < 0 ||
        graph.node(value).metadata->storage != graph.node(operand->node).metadata->storage) {
      return -1;
    }
    value = operand->node;
  }
  return -1;
}

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

} // namespace

/// Eager saves memory that somebody can write to without its noticing: its gradient is of what is there then.
bool CompiledAotGraph::savesUnnoticed(const std::vector<NodeId>& values) const {
  const ir::Graph& graph = functionalizer_.graph();
  return std::any_of(values.begin(), values.end(), [&](NodeId value) {
    if (!isSeenOutside(value)) {
      return false;
    }
    const NodeId owner = versionOwner(graph, value);
    const int storage = storageOfValue(value);
    if (trace_.recorded().storages[static_cast<size_t>(storage)].input >= 0) {
      return owner >= 0;
    }
    Functionalizer reading = functionalizer_; // it may add views
    for (size_t i = 0; i < plan_.made.size(); ++i) {
      const int tensor = static_cast<int>(plan_.inputs.size() + i);
      if (trace_.storageOf(tensor) == storage &&
          versionOwner(reading.graph(), reading.read(trace_.nodeOf(tensor))) != owner) {
        return true;
      }
    }
    return false;
  });
}

void CompiledAotGraph::cutJoint(Functionalizer& joint, const partitioners::PartitionInputs& all,
                                std::vector<std::vector<FunctionalBackward>>& byNode, const AotOptions& options,
                                StagePublisher& publisher) {
  partitioners::PartitionInputs whole = all;
  for (const std::vector<FunctionalBackward>& backwards : byNode) {
    if (backwards.size() != 1 || !backwards[0].isJoint) {
      return; // what each root alone reads is saved, too
    }
    if (savesUnnoticed(backwards[0].read)) {
      return; // a cut would mix what was there in the forward with what is there in the backward
    }
    const partitioners::PartitionInputs& inputs = backwards[0].inputs;
    whole.tangents.insert(whole.tangents.end(), inputs.tangents.begin(), inputs.tangents.end());
    whole.kept.insert(inputs.kept.begin(), inputs.kept.end());
  }
  ir::Graph& graph = joint.graph();
  JointCut cut;
  cut.forwardEnd = static_cast<NodeId>(functionalizer_.graph().nodes().size());
  whole.backwardBegin = cut.forwardEnd;
  std::vector<NodeId> outputs = all.outputs;
  outputs.insert(outputs.end(), all.gradients.begin(), all.gradients.end());
  cut.into = passes::mergeRepeated(graph, outputs, gate_.get());
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    cut.sameAs.push_back(id);
    const std::string expression = passes::expressionOf(graph, id, cut.sameAs);
    if (!expression.empty()) {
      std::vector<NodeId>& same = cut.nodes[expression];
      same.push_back(id);
      cut.sameAs.back() = same.front();
    }
  }
  publisher.publish("merged", graph, outputs);

  const std::vector<NodeId> byDefault = partitioners::valuesReadByBackward(graph, whole);
  std::optional<partitioners::SavedChoice> choice = partition_ == AotPartition::kChosen
                                                        ? chosenBy(options.chooseSaved, graph, whole)
                                                        : partitioners::chooseSavedValues(graph, whole, options.minCut);
  if (!choice) {
    cut.saved.insert(byDefault.begin(), byDefault.end());
  } else {
    cut.saved.insert(choice->values.begin(), choice->values.end());
    if (choice->isLeast) {
      publisher.publishCapacities(graph, choice->costs.capacity);
    }
  }
  for (const std::vector<FunctionalBackward>& backwards : byNode) {
    if (options.asPyTorch) { // which computes such values again
      break;
    }
    saveForEachRoot(graph, backwards[0].inputs, cut);
  }
  if (gate_ != nullptr) {
    for (NodeId value : byDefault) {
      if (!cut.saved.contains(value) && !gate_->mayApply("recomputation", graph.node(value).name)) {
        cut.saved.insert(value);
      }
    }
    std::erase_if(cut.saved, [&](NodeId value) {
      const ir::Node& node = graph.node(value);
      return !partitioners::isSource(graph, node) && !gate_->mayApply("saved_values", node.name);
    });
  }
  for (NodeId value : cut.saved) {
    if (value >= cut.forwardEnd) {
      cut.movedStorages[value] = graph.node(value).metadata ? graph.node(value).metadata->storage : -1;
    }
  }
  cut_ = std::move(cut);
  for (std::vector<FunctionalBackward>& backwards : byNode) {
    for (const auto& [moved, storage] : cut_->movedStorages) {
      backwards[0].inputs.movedToForward.insert(moved);
    }
    takeCut(graph, cut_->saved, backwards[0]);
  }
  for (std::vector<FunctionalBackward>& backwards : byNode) {
    saveForOthers(graph, backwards[0]);
  }
}

/// A backward from one root alone reads less than that from all. What it would compute again from memory that others can
/// write to is saved, unless eager looks at a version of that memory for this root, too: it would raise for such a write.
void CompiledAotGraph::saveForEachRoot(const ir::Graph& graph, const partitioners::PartitionInputs& inputs,
                                       JointCut& cut) const {
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
  for (NodeId id = 0; id < cut.forwardEnd; ++id) {
    seen.push_back(isSeenOutside(id) ? storageOfValue(id) : -1);
  }
  const std::vector<bool> gradients = gradientsOf(inputs.tangents);
  for (const NodeId tangent : inputs.tangents) {
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
    ir::spreadToOperands(graph, read, [&](NodeId value) { return value < cut.forwardEnd; });
    std::set<int> looked{-1};
    for (size_t i = 0; i < seen.size(); ++i) {
      if (read[i]) {
        looked.insert(seen[i]);
      }
    }
    std::vector<bool> fromElsewhere(count, false); // computed again from memory whose version nobody looks at
    for (NodeId id = 0; id < cut.forwardEnd; ++id) {
      const auto i = static_cast<size_t>(id);
      fromElsewhere[i] =
          seen[i] >= 0 ? !looked.contains(seen[i]) : !cut.saved.contains(id) && readsAny(id, fromElsewhere);
      if (read[i] && fromElsewhere[i]) {
        cut.saved.insert(id);
        fromElsewhere[i] = false;
      }
    }
  }
}

/// A backward that is recorded later reads of what eager saves, but perhaps not what this one computes from that: what
/// cannot be computed from what is saved is saved, too.
void CompiledAotGraph::saveForOthers(const ir::Graph& graph, FunctionalBackward& backward) const {
  std::set<NodeId> saved(backward.read.begin(), backward.read.end()), eager;
  saved.insert(backward.checked.begin(), backward.checked.end());
  std::transform(backward.eager.begin(), backward.eager.end(), std::inserter(eager, eager.end()),
                 [&](NodeId value) { return cut_->into[static_cast<size_t>(value)]; });
  std::vector<bool> isKnown; // by node of the forward: saved, or computed from what is
  for (NodeId id = 0; id < cut_->forwardEnd; ++id) {
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
void CompiledAotGraph::spare(const ir::Graph& graph, NodeId value, std::set<NodeId>& saved,
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

/// Merges in the Graph of a later backward what was merged in the joint Graph, and finds there what that has saved.
void CompiledAotGraph::followCut(size_t node, ir::Graph& graph, FunctionalBackward& backward) const {
  std::set<NodeId> saved; // by what the node keeps
  for (const size_t position : savedBy_[node]) {
    saved.insert(saved_[position]);
  }
  std::vector<NodeId> into, sameAs; // by node; sameAs: in the joint Graph; -1: it has no such node
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    if (id < cut_->forwardEnd) {
      into.push_back(cut_->into[static_cast<size_t>(id)]);
      sameAs.push_back(cut_->sameAs[static_cast<size_t>(id)]);
      continue;
    }
    into.push_back(id);
    sameAs.push_back(-1);
    const std::string expression = passes::expressionOf(graph, id, sameAs);
    const auto known = expression.empty() ? cut_->nodes.end() : cut_->nodes.find(expression);
    if (known == cut_->nodes.end()) {
      continue;
    }
    const std::vector<NodeId>& same = known->second;
    sameAs.back() = same.front();
    const auto kept = std::find_if(same.begin(), same.end(), [&](NodeId each) { return saved.contains(each); });
    if (kept == same.end()) {
      continue; // computed from what can be computed; an equal value of the forward perhaps cannot
    }
    if (*kept < cut_->forwardEnd) {
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
  takeCut(graph, saved, backward);
  std::erase_if(backward.checked, [&](NodeId value) { return !saved.contains(value); });
}

/// What the backward reads, and what else of that which eager saves has a version that somebody may change.
void CompiledAotGraph::takeCut(const ir::Graph& graph, const std::set<NodeId>& saved,
                               FunctionalBackward& backward) const {
  backward.eager = std::move(backward.read);
  backward.inputs.saves = [saved](NodeId node) { return saved.contains(node); };
  backward.read = partitioners::valuesReadByBackward(graph, backward.inputs);
  const std::set<NodeId> read(backward.read.begin(), backward.read.end());
  std::copy_if(backward.eager.begin(), backward.eager.end(), std::back_inserter(backward.checked),
               [&](NodeId value) { return read.contains(value) || isSeenOutside(value); });
}

/// What lies in the same memory as something whose version is looked at is kept from writes by that.
void CompiledAotGraph::spareCopies(const std::vector<std::vector<FunctionalBackward>>& byNode) {
  if (!cut_) {
    return;
  }
  std::erase_if(copied_, [&](NodeId value) {
    const int storage = storageOfValue(value);
    return storage >= 0 && std::all_of(byNode.begin(), byNode.end(), [&](const auto& backwards) {
             return std::all_of(backwards.begin(), backwards.end(), [&](const FunctionalBackward& backward) {
               const bool isRead =
                   std::find(backward.read.begin(), backward.read.end(), value) != backward.read.end() ||
                   std::find(backward.spared.begin(), backward.spared.end(), value) != backward.spared.end();
               return !isRead || std::any_of(backward.checked.begin(), backward.checked.end(),
                                             [&](NodeId checked) { return storageOfValue(checked) == storage; });
             });
           });
  });
}

} // namespace touchstone::aot_autograd
