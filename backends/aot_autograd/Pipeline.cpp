#include "backends/aot_autograd/Pipeline.h"

#include "backends/aot_autograd/GraphSignatures.h"
#include "backends/aot_autograd/UnliftedTokens.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Stages.h"
#include "graph/ir/Subgraph.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace touchstone::aot_autograd {

using ir::NodeId;

namespace {

bool runsRecorded(const Draft& draft) {
  return draft.options.runs == AotResult::kJoint;
}

/// The recorded forward as it is, behind it the memories that the runtime wants. Saved for their versions: memories.
ir::Graph recordedForward(const TracedForward& forward, const SavedValues& saved) {
  ir::Graph recorded = forward.trace.recorded();
  const std::vector<size_t>& storages = forward.memoryStorages;
  std::vector<NodeId> outputs;
  for (size_t i = 0; i < storages.size(); ++i) {
    const ir::TensorMetadata& layout = forward.plan.memories[i].layout;
    outputs.push_back(recorded.addOperator(
        "aten::as_strided", {ir::nodeArgument(recorded.storages[storages[i]].root), ir::integerList(layout.sizes),
                             ir::integerList(layout.strides), ir::Argument{layout.offset}}));
    recorded.node(outputs.back()).metadata = layout;
  }
  for (const NodeId value : saved.nodes) {
    const int storage = forward.storageOf(value);
    const auto memory =
        storage < 0 ? storages.end() : std::find(storages.begin(), storages.end(), static_cast<size_t>(storage));
    outputs.push_back(memory == storages.end() ? -1 : outputs[static_cast<size_t>(memory - storages.begin())]);
  }
  return ir::subgraph(recorded, forward.recordedInputs(), outputs,
                      [&](NodeId id) { return id < forward.trace.forwardEnd(); });
}

/// Writes at the end of the forward Graph what is in the memory of inputs then. Left to the runtime: writes that no version
/// tells of, or one of several, and in inference mode those to memory that several inputs share: no version is shared with
/// a tensor that is made over it there.
void writeInputs(ViewAndMutationMetadata& plan, const TracedArguments& arguments, ir::Graph& forward) {
  std::vector<ir::Argument>& outputs = std::get<ir::Argument::Container>(forward.output.payload).items;
  const size_t tokens = plan.takesToken ? 1 : 0;
  for (size_t i = 0; i < plan.memories.size(); ++i) {
    const int number = plan.memories[i].inputStorage;
    if (number < 0) {
      continue;
    }
    InputStoragePlan& storage = plan.inputStorages[static_cast<size_t>(number)];
    if (storage.hasSeveralCounters || !plan.inputs[static_cast<size_t>(storage.firstInput)].versionBumped) {
      continue;
    }
    const auto inputs = std::count_if(arguments.inputs.begin(), arguments.inputs.end(),
                                      [&](const auto& input) { return input.storage == number; });
    if (c10::InferenceMode::is_enabled() && inputs > 1) {
      continue;
    }
    storage.isWrittenByGraph = true;
    const ir::TensorMetadata& layout = plan.memories[i].layout;
    NodeId target = forward.placeholders()[tokens + static_cast<size_t>(number)];
    const ir::TensorMetadata& given = *forward.node(target).metadata;
    if (!ir::sameLayout(given, layout) || given.offset != layout.offset) {
      target = forward.addOperator("aten::as_strided", {ir::nodeArgument(target), ir::integerList(layout.sizes),
                                                        ir::integerList(layout.strides), ir::Argument{layout.offset}});
      forward.node(target).metadata = layout;
    }
    const NodeId copy = forward.addOperator(
        "aten::copy_",
        {ir::nodeArgument(target), std::exchange(outputs[tokens + i], ir::Argument{}), ir::Argument{false}});
    forward.node(copy).metadata = forward.node(target).metadata;
    forward.node(copy).writes = {target};
  }
}

/// What is saved although eager does not: no write to it may matter.
std::set<NodeId> valuesToCopy(const JointCut::Backwards& backwards, const std::optional<JointCut>& cut) {
  std::set<NodeId> copied;
  for (const auto& ofNode : backwards) {
    for (const FunctionalBackward& backward : ofNode) {
      if (backward.inputs.saves) {
        copied.insert(backward.read.begin(), backward.read.end());
      }
      copied.insert(backward.spared.begin(), backward.spared.end());
    }
  }
  for (const auto& ofNode : backwards) {
    for (const FunctionalBackward& backward : ofNode) {
      for (const NodeId value : backward.checked) {
        copied.erase(value);
      }
    }
  }
  if (cut) {
    cut->spareCopies(backwards, copied);
  }
  return copied;
}

std::vector<NodeId> functionalOutputs(const Draft& draft) {
  std::vector<NodeId> outputs = draft.whole.outputs;
  outputs.insert(outputs.end(), draft.whole.gradients.begin(), draft.whole.gradients.end());
  return outputs;
}

void traceForward(Draft& draft) {
  draft.record = std::make_unique<JointRecord>(draft.program, draft.inputs, draft.options);
  const TracedForward& forward = draft.record->forward;
  for (const int output : forward.plan.outputs) {
    draft.recordedOutputs.push_back(output < 0 ? -1 : forward.trace.nodeOf(output));
  }
  draft.shown.show(ir::kCapturedStage, forward.trace.recorded(), draft.recordedOutputs);
}

/// The runtime keeps what a backward writes to.
void keepWritten(ViewAndMutationMetadata& plan, size_t node, const FunctionalBackward& backward) {
  for (const WrittenInput& written : backward.writtenInputs) {
    std::vector<size_t>& known = plan.nodes[node].writtenStorages;
    if (std::find(known.begin(), known.end(), written.storage) == known.end()) {
      known.push_back(written.storage);
    }
  }
}

/// The writes are taken out of each as soon as it is recorded: where that raises, it is recorded in another way.
void recordBackwards(Draft& draft) {
  TracedForward& forward = draft.record->forward;
  draft.joint = forward.functionalizer;
  for (size_t node = 0; node < forward.plan.nodes.size(); ++node) {
    draft.backwards.push_back(draft.record->recorder.recordNode(*draft.joint, node));
    for (const FunctionalBackward& backward : draft.backwards.back()) {
      keepWritten(forward.plan, node, backward);
      if (backward.isJoint) {
        const JointTrace::Backward& recorded = backward.recorded;
        draft.recordedOutputs.insert(draft.recordedOutputs.end(), recorded.gradients.begin(), recorded.gradients.end());
        std::transform(backward.writtenTangents.begin(), backward.writtenTangents.end(),
                       std::back_inserter(draft.recordedOutputs), [&](size_t root) { return recorded.tangents[root]; });
      }
    }
  }
  forward.noteWritesInBackward();
  draft.shown.show(ir::kJointStage, forward.trace.recorded(), draft.recordedOutputs);
}

void joinFunctional(Draft& draft) {
  const TracedForward& forward = draft.record->forward;
  draft.whole.inputs = forward.functionalizer.graph().placeholders(); // without tangents
  draft.whole.outputs = forward.memoryNodes;
  if (const EffectTokens& tokens = forward.functionalizer.tokens(); tokens.taken >= 0) { // it comes first
    std::vector<NodeId>& inputs = draft.whole.inputs;
    std::erase(inputs, tokens.taken);
    inputs.insert(inputs.begin(), tokens.taken);
    draft.whole.outputs.insert(draft.whole.outputs.begin(), tokens.given);
  }
  for (const auto& ofNode : draft.backwards) {
    for (const FunctionalBackward& backward : ofNode) {
      if (backward.isJoint) {
        const std::vector<NodeId>& gradients = backward.inputs.gradients;
        draft.whole.gradients.insert(draft.whole.gradients.end(), gradients.begin(), gradients.end());
      }
    }
  }
  draft.shown.show(ir::kFunctionalStage, draft.joint->graph(), functionalOutputs(draft));
}

void mergeRepeated(Draft& draft) {
  const AotOptions& options = draft.options;
  TracedForward& forward = draft.record->forward;
  const bool isAsked = options.partition != AotPartition::kDefault && options.runs == AotResult::kPartitioned;
  if (isAsked && !forward.plan.nodes.empty() && JointCut::isPossible(forward, draft.backwards)) {
    const std::vector<NodeId> outputs = functionalOutputs(draft);
    draft.record->cut.emplace(forward, draft.joint->graph(), outputs, options.gate, !options.isSample);
    draft.shown.show(ir::kMergedStage, draft.joint->graph(), outputs);
  }
}

void planRuntime(Draft& draft) {
  SavedValues& saved = draft.record->saved;
  std::optional<JointCut>& cut = draft.record->cut;
  const ir::Graph& joint = draft.joint->graph();
  if (cut) {
    const std::vector<int64_t> capacities = cut->choose(joint, draft.whole, draft.backwards, draft.options);
    for (size_t i = 0; i < capacities.size() && draft.shown.isSeen(); ++i) {
      draft.shown.artifacts.partition.capacities[joint.nodes()[i].name] = capacities[i];
    }
  }
  for (const auto& ofNode : draft.backwards) {
    for (const FunctionalBackward& backward : ofNode) {
      for (const std::vector<NodeId>* values : {&backward.read, &backward.checked, &backward.spared}) {
        saved.add(*values);
      }
    }
  }
  saved.copied = valuesToCopy(draft.backwards, cut);
  for (const auto& observer : draft.options.observers) {
    observer->onPlan(draft.record->forward.plan);
  }
  if (draft.shown.isSeen()) {
    draft.shown.show(ir::kMetadataStage, draft.record->forward.plan.text());
  }
}

void compileForward(Draft& draft) {
  const AotOptions& options = draft.options;
  SavedValues& saved = draft.record->saved;
  const TracedForward& record = draft.record->forward;
  ViewAndMutationMetadata& plan = draft.record->forward.plan;
  std::vector<NodeId> outputs = draft.whole.outputs;
  outputs.insert(outputs.end(), saved.nodes.begin(), saved.nodes.end());
  const ir::Graph& whole = draft.record->cut ? draft.joint->graph() : record.functionalizer.graph();
  partitioners::keepDeadNodes(whole, draft.whole, outputs, false, options.gate.get());
  ir::Graph forward =
      runsRecorded(draft) ? recordedForward(record, saved) : partitioners::forwardPart(whole, draft.whole, saved.nodes);
  if (record.functionalizer.tokens().taken >= 0 && options.unliftEffectTokens && !runsRecorded(draft)) {
    forward = unliftToken(forward, 0, 0);
  }
  if (options.keepInferenceInputMutations && plan.nodes.empty() && !runsRecorded(draft)) {
    writeInputs(plan, record.trace.arguments(), forward);
  }
  if (draft.shown.isSeen()) {
    for (const NodeId value : saved.nodes) {
      draft.shown.artifacts.partition.saved.push_back(whole.node(value).name);
    }
    draft.shown.artifacts.signature = signatureOf(plan, record.trace.arguments(), forward);
  }
  draft.shown.pass(ir::kForwardStage, forward);
  plan.mayRaise = partitioners::mayRaise(forward);
  const bool isInference = plan.nodes.empty() && options.inferenceCompiler != nullptr;
  const backends::GraphCompiler compiler = backends::aroundCompiler(
      options.observers, ir::kForwardStage, isInference ? options.inferenceCompiler : options.forwardCompiler);
  if (compiler) {
    const std::vector<at::Tensor> examples = backends::metaExamples(forward);
    draft.forward = compiler(std::move(forward), examples);
  } else {
    draft.forward = backends::interpreted(std::move(forward), runtime::NodeState::kCallers);
  }
  for (const NodeId value : saved.nodes) {
    saved.inputs.push_back(record.inputHolding(value)); // now: later backwards change the trace, on any thread
    saved.seesWrites.push_back(versionOwner(whole, value) < 0);
  }
}

void compileBackwards(Draft& draft) {
  SavedValues& saved = draft.record->saved;
  const ViewAndMutationMetadata& plan = draft.record->forward.plan;
  draft.backwardGraphs = std::make_unique<BackwardGraphs>(*draft.record, draft.options);
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    std::set<size_t> positions; // that backwards of the node may read
    const auto keep = [&](const std::vector<NodeId>& values) {
      std::transform(values.begin(), values.end(), std::inserter(positions, positions.end()),
                     [&](NodeId value) { return saved.positionOf(value); });
    };
    for (const FunctionalBackward& backward : draft.backwards[node]) {
      if (!backward.isJoint) {
        keep(backward.read);
        keep(backward.checked);
        continue;
      }
      ir::Graph part = draft.backwardGraphs->graphOf(draft.joint->graph(), backward);
      const std::string stage =
          plan.nodes.size() == 1 ? ir::kBackwardStage : ir::kBackwardStage + ("_" + std::to_string(node));
      if (draft.shown.isSeen()) {
        ir::GraphSignature::Backward& signature = draft.shown.artifacts.signature->backwards.emplace_back(
            backwardSignature(plan, stage, draft.backwardGraphs->savedPositions(backward), backward));
        signature.gradients.resize(ir::outputNodes(part).size(), -1);
      }
      draft.shown.pass(stage, part);
      const CompiledBackwardGraph& compiled = draft.backwardGraphs->add(node, backward, std::move(part));
      positions.insert(compiled.saved.begin(), compiled.saved.end());
      positions.insert(compiled.checked.begin(), compiled.checked.end());
      keep(backward.spared);
    }
    saved.byNode.emplace_back(positions.begin(), positions.end());
  }
}

} // namespace

const std::vector<Stage>& pipeline() {
  static const std::vector<Stage> stages{
      {ir::kCapturedStage, traceForward},     {ir::kJointStage, recordBackwards},
      {ir::kFunctionalStage, joinFunctional}, {ir::kMergedStage, mergeRepeated},
      {ir::kMetadataStage, planRuntime},      {ir::kForwardStage, compileForward},
      {ir::kBackwardStage, compileBackwards},
  };
  return stages;
}

} // namespace touchstone::aot_autograd
