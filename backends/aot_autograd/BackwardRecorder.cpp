#include "backends/aot_autograd/BackwardRecorder.h"

#include "backends/fake/DataPointer.h"
#include "graph/ir/Geometry.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace touchstone::aot_autograd {

using ir::NodeId;

namespace {

TangentLayouts plannedLayouts(const ViewAndMutationMetadata& plan, const std::vector<size_t>& roots) {
  TangentLayouts layouts(plan.roots.size());
  for (const size_t root : roots) {
    layouts[root] = plan.tangents[root];
  }
  return layouts;
}

/// Sizes and strides of what the forward was given and gives.
std::vector<std::vector<int64_t>> layoutsOf(const JointTrace& trace) {
  std::vector<std::vector<int64_t>> layouts;
  const auto add = [&](const at::Tensor& tensor) {
    if (tensor.defined() && tensor.layout() == at::kStrided) {
      layouts.push_back(tensor.sizes().vec());
      layouts.push_back(tensor.strides().vec());
    }
  };
  for (const TracedInput& input : trace.arguments().inputs) {
    add(input.fake);
  }
  std::ranges::for_each(trace.outputs(), add);
  return layouts;
}

} // namespace

BackwardRecorder::BackwardRecorder(TracedForward& forward, const AotOptions& options)
    : forward_(forward),
      layouts_(layoutsOf(forward.trace)),
      runs_(options.runs),
      partition_(options.partition),
      unlifts_(options.unliftEffectTokens),
      gate_(options.gate) {}

std::vector<FunctionalBackward> BackwardRecorder::recordNode(Functionalizer& joint, size_t node) {
  const ViewAndMutationMetadata& plan = forward_.plan;
  const std::vector<size_t>& roots = plan.nodes[node].roots;
  std::vector<FunctionalBackward> done;
  const auto attempt = [&](Functionalizer& functionalizer, const std::vector<size_t>& from) {
    try {
      done.push_back(record(functionalizer, node, plannedLayouts(plan, from)));
      done.back().isJoint = &functionalizer == &joint;
      return true;
    } catch (const ir::Unsupported&) {
      throw;
    } catch (const std::exception& error) {
      if (fake::isOfDataPointer(error.what())) {
        const auto* ofTorch = dynamic_cast<const c10::Error*>(&error); // eager's backward has a pointer to look at
        throw ir::Unsupported(std::string("the backward reads a data pointer: ") +
                              (ofTorch != nullptr ? ofTorch->what_without_backtrace() : error.what()));
      }
      return false; // raised again when the backward runs
    }
  };
  std::optional<Functionalizer> before; // the first starts at the end of the forward
  if (node > 0) {
    before = joint;
  }
  if (!attempt(joint, roots)) {
    joint = before ? *before : forward_.functionalizer;
  } else if (std::none_of(roots.begin(), roots.end(),
                          [&](size_t root) { return ir::elementCount(plan.tangents[root]) == 0; })) {
    return done;
  }
  for (const size_t root : roots) {
    if (roots.size() > 1) {
      Functionalizer single = forward_.functionalizer;
      attempt(single, {root});
    }
  }
  return done;
}

FunctionalBackward BackwardRecorder::record(Functionalizer& functionalizer, size_t node, const TangentLayouts& layouts,
                                            const SavedValues* saved, bool underAutocast,
                                            const UnaskedGradients& unasked) {
  const ir::Graph& recorded = forward_.trace.recorded();
  FunctionalBackward backward;
  functionalizer.skip(static_cast<NodeId>(recorded.nodes().size()));
  backward.recordedBegin = static_cast<NodeId>(recorded.nodes().size());
  backward.recorded = forward_.trace.recordBackward(node, layouts, underAutocast, unasked);
  if (layoutsOf(forward_.trace) != layouts_) { // one recorded before this may have changed them, and raised
    throw ir::Unsupported("an input or an output gets other sizes or strides in the backward");
  }
  partitioners::PartitionInputs& inputs = backward.inputs;
  inputs.backwardBegin = static_cast<NodeId>(functionalizer.graph().nodes().size());
  backward.writtenInputs = inputsWritten(backward);
  const auto& storages = forward_.trace.arguments().storages;
  std::vector<NodeId> taken;
  for (const WrittenInput& written : backward.writtenInputs) {
    const int number = storages[written.storage].number;
    const std::string name = recorded.node(recorded.storages[static_cast<size_t>(number)].root).name;
    taken.push_back(functionalizer.takeAnew(number, name + "_in_backward"));
  }
  for (const NodeId tangent : functionalizer.processBackward(backward.recorded.tangents, backward.recorded.end)) {
    if (tangent >= 0) {
      inputs.tangents.push_back(tangent);
    }
  }
  inputs.tangents.insert(inputs.tangents.end(), taken.begin(), taken.end());
  for (const NodeId gradient : backward.recorded.gradients) {
    inputs.gradients.push_back(gradient >= 0 ? functionalizer.read(gradient) : -1);
  }
  for (size_t root = 0; root < backward.recorded.tangents.size(); ++root) {
    const NodeId tangent = backward.recorded.tangents[root];
    if (tangent >= 0 && functionalizer.writes(recorded.node(tangent).metadata->storage) > 0) {
      backward.writtenTangents.push_back(root);
      inputs.gradients.push_back(functionalizer.read(tangent));
    }
  }
  for (const WrittenInput& written : backward.writtenInputs) {
    inputs.gradients.push_back(functionalizer.readFlat(storages[written.storage].number));
  }
  if (const EffectTokens& tokens = functionalizer.tokens(); tokens.taken >= 0) {
    inputs.tangents.push_back(tokens.taken);
    inputs.gradients.push_back(tokens.given);
    inputs.backwardToken = tokens.taken;
    backward.takesToken = !unlifts_ && runs_ != AotResult::kJoint;
  }
  const ir::Graph& joint = functionalizer.graph();
  inputs.backwardEnd = static_cast<NodeId>(joint.nodes().size());
  partitioners::keepDeadNodes(joint, inputs, inputs.gradients, true, gate_.get());
  backward.read = partitioners::valuesReadByBackward(joint, inputs);
  chooseSaved(inputs);
  if (inputs.saves) {
    backward.checked = std::move(backward.read);
    backward.read = partitioners::valuesReadByBackward(joint, inputs);
  }
  const std::vector<NodeId> unread = savedUnread(node, backward, saved);
  backward.checked.insert(backward.checked.end(), unread.begin(), unread.end());
  return backward;
}

/// Throws ir::Unsupported for writes to what others see and that is no input, and where several backwards, or one that starts
/// from the beginning, would have to see each other's.
std::vector<WrittenInput> BackwardRecorder::inputsWritten(const FunctionalBackward& backward) const {
  std::map<int, int64_t> writes = forward_.trace.writesToForward(backward.recordedBegin, backward.recorded.end);
  std::vector<WrittenInput> inputs;
  const auto& storages = forward_.trace.arguments().storages;
  for (size_t i = 0; i < storages.size(); ++i) {
    const auto found = writes.find(storages[i].number);
    if (found != writes.end()) {
      inputs.push_back({i, found->second});
      writes.erase(found);
    }
  }
  if (!writes.empty()) {
    throw ir::Unsupported("a value of the forward is written to in the backward");
  }
  const auto hasSeveralCounters = [&](const WrittenInput& written) {
    return forward_.plan.inputStorages[written.storage].hasSeveralCounters;
  };
  if (!inputs.empty() && (runs_ == AotResult::kJoint || forward_.plan.nodes.size() > 1 ||
                          std::any_of(inputs.begin(), inputs.end(), hasSeveralCounters))) {
    throw ir::Unsupported("an input is written to in the backward");
  }
  return inputs;
}

/// Memories in which eager saves something for a backward that reads nothing there, its sizes perhaps: a later write to
/// them counts.
std::vector<NodeId> BackwardRecorder::savedUnread(size_t node, FunctionalBackward& backward, const SavedValues* saved) {
  const ir::Graph& graph = forward_.functionalizer.graph();
  std::set<int> known; // storages; not of what is read only to compute again what eager saves
  for (const NodeId value : backward.inputs.saves ? backward.checked : backward.read) {
    if (versionOwner(graph, value) < 0) { // else no write from outside is seen by its version
      known.insert(forward_.storageOf(value));
    }
  }
  std::vector<int> others;
  for (int tensor = 0; tensor < static_cast<int>(forward_.plan.inputs.size() + forward_.plan.made.size()); ++tensor) {
    if (!known.contains(forward_.trace.storageOf(tensor))) {
      others.push_back(tensor);
    }
  }
  std::vector<NodeId> memories;
  for (const int tensor : forward_.trace.savedAmong(others, node, backward.recorded)) {
    const auto storage = static_cast<size_t>(forward_.trace.storageOf(tensor));
    if (saved != nullptr) { // what is saved there for the first one, which saves all that this does
      const auto& kept = saved->byNode[node];
      const auto there = std::find_if(kept.begin(), kept.end(), [&](size_t position) {
        return forward_.storageOf(saved->nodes[position]) == static_cast<int>(storage) && !saved->isCopy(position) &&
               saved->seesWrites[position];
      });
      if (there != kept.end()) {
        memories.push_back(saved->nodes[*there]);
      }
      continue;
    }
    const auto& storages = forward_.memoryStorages;
    const auto memory = static_cast<size_t>(std::find(storages.begin(), storages.end(), storage) - storages.begin());
    const int input = forward_.trace.recorded().storages[storage].input;
    if (memory < storages.size()) {
      memories.push_back(forward_.memoryNodes[memory]);
    } else if (input >= 0) {
      memories.push_back(forward_.functionalizer.inputAt(static_cast<size_t>(input)));
    }
  }
  return memories;
}

/// Without the whole default partition: which values of the forward are saved.
void BackwardRecorder::chooseSaved(partitioners::PartitionInputs& inputs) {
  if (runs_ != AotResult::kPartitioned) {
    inputs.saves = [](NodeId) { return false; };
  } else if (gate_ != nullptr && partition_ == AotPartition::kDefault) {
    inputs.saves = [this](NodeId node) {
      const auto [known, fresh] = saves_.try_emplace(node, true);
      if (fresh) {
        known->second = gate_->mayApply("saved_values", forward_.functionalizer.graph().node(node).name);
      }
      return known->second;
    };
  }
}

} // namespace touchstone::aot_autograd
