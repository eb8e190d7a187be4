#include "backends/aot_autograd/CompiledAotGraph.h"

#include "backends/aot_autograd/GraphSignatures.h"
#include "backends/fake/DataPointer.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"
#include "program/values/CompiledProgram.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

namespace touchstone::aot_autograd {

using ir::NodeId;

namespace {

/// What a Graph's placeholders look like, without values.
std::vector<at::Tensor> examplesOf(const ir::Graph& graph) {
  std::vector<at::Tensor> examples;
  for (const NodeId placeholder : graph.placeholders()) {
    const auto& metadata = graph.node(placeholder).metadata;
    examples.push_back(metadata ? runtime::metaTensor(*metadata) : at::Tensor());
  }
  return examples;
}

} // namespace

CompiledAotGraph::CompiledAotGraph(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs,
                                   const AotOptions& options)
    : runs_(options.runs),
      partition_(options.partition),
      gate_(options.gate),
      trace_(program, inputs, options.backing, options.claimed, options.asPyTorch),
      plan_(trace_.plan()),
      takesGradients_(std::any_of(program.graph().nodes().begin(), program.graph().nodes().end(),
                                  [](const ir::Node& node) { return node.target == "autograd::grad"; })),
      id_([] {
        static std::atomic<uint64_t> frames = 0;
        return ++frames;
      }()),
      functionalizer_(trace_.recorded(), {.table = options.decompositions, .gate = options.gate}),
      backwardCompiler_(options.backwardCompiler),
      recordedWatch_(options.recordedWatch) {
  functionalizer_.process(trace_.forwardEnd(), false);
  planMemories();
  planLifetimes();
  compileJoint(options);
}

TangentLayouts CompiledAotGraph::plannedLayouts(const std::vector<size_t>& roots) const {
  TangentLayouts layouts(plan_.roots.size());
  for (size_t root : roots) {
    layouts[root] = plan_.tangents[root];
  }
  return layouts;
}

AutocastRegions autocastOfThread() {
  AutocastRegions regions;
  for (const at::DeviceType device : {at::kCPU, at::kCUDA}) {
    if (at::autocast::is_autocast_enabled(device)) {
      regions.emplace_back(device, at::autocast::get_autocast_dtype(device));
    }
  }
  return regions;
}

CompiledAotGraph::BackwardKey CompiledAotGraph::keyOf(size_t node, const TangentLayouts& layouts,
                                                      const AutocastRegions& autocast) {
  BackwardKey key{static_cast<int64_t>(node)};
  for (const auto& [device, dtype] : autocast) {
    key.insert(key.end(), {-2, static_cast<int64_t>(device), static_cast<int64_t>(dtype)});
  }
  for (const auto& layout : layouts) {
    key.push_back(layout ? static_cast<int64_t>(layout->strides.size()) : -1);
    if (layout) {
      key.insert(key.end(), layout->strides.begin(), layout->strides.end());
      key.push_back(layout->storage);
    }
  }
  return key;
}

/// Records a backward and takes the writes out of it, behind what the functionalizer has done so far.
CompiledAotGraph::FunctionalBackward CompiledAotGraph::functionalBackward(Functionalizer& functionalizer, size_t node,
                                                                          const TangentLayouts& layouts,
                                                                          bool underAutocast) const {
  FunctionalBackward backward;
  functionalizer.skip(static_cast<NodeId>(trace_.recorded().nodes().size()));
  backward.recordedBegin = static_cast<NodeId>(trace_.recorded().nodes().size());
  backward.recorded = trace_.recordBackward(node, layouts, underAutocast);
  partitioners::PartitionInputs& inputs = backward.inputs;
  inputs.backwardBegin = static_cast<NodeId>(functionalizer.graph().nodes().size());
  for (NodeId tangent : functionalizer.processBackward(backward.recorded.tangents, backward.recorded.end)) {
    if (tangent >= 0) {
      inputs.tangents.push_back(tangent);
    }
  }
  for (const TracedInputStorage& storage : trace_.arguments().storages) {
    if (functionalizer.writes(storage.number) != functionalizer_.writes(storage.number)) {
      throw ir::Unsupported("an input is written to in the backward");
    }
  }
  for (NodeId gradient : backward.recorded.gradients) {
    inputs.gradients.push_back(gradient >= 0 ? functionalizer.read(gradient) : -1);
  }
  for (size_t root = 0; root < backward.recorded.tangents.size(); ++root) {
    const NodeId tangent = backward.recorded.tangents[root];
    if (tangent >= 0 && functionalizer.writes(trace_.recorded().node(tangent).metadata->storage) > 0) {
      backward.writtenTangents.push_back(root);
      inputs.gradients.push_back(functionalizer.read(tangent));
    }
  }
  inputs.backwardEnd = static_cast<NodeId>(functionalizer.graph().nodes().size());
  leaveDeadCode(functionalizer.graph(), inputs, inputs.gradients, true);
  backward.read = partitioners::valuesReadByBackward(functionalizer.graph(), inputs);
  choosePasses(inputs);
  if (inputs.saves) {
    backward.checked = std::move(backward.read);
    backward.read = partitioners::valuesReadByBackward(functionalizer.graph(), inputs);
  }
  const std::vector<NodeId> unread = savedUnread(node, backward);
  backward.checked.insert(backward.checked.end(), unread.begin(), unread.end());
  return backward;
}

/// Memories in which eager saves something for a backward that reads nothing there, its sizes perhaps: a later write to
/// them counts.
std::vector<NodeId> CompiledAotGraph::savedUnread(size_t node, FunctionalBackward& backward) const {
  std::set<int> known; // storages; not of what is read only to compute again what eager saves
  for (NodeId value : backward.inputs.saves ? backward.checked : backward.read) {
    if (versionOwner(functionalizer_.graph(), value) < 0) { // else no write from outside is seen by its version
      known.insert(storageOfValue(value));
    }
  }
  std::vector<int> others;
  for (int tensor = 0; tensor < static_cast<int>(plan_.inputs.size() + plan_.made.size()); ++tensor) {
    if (!known.contains(trace_.storageOf(tensor))) {
      others.push_back(tensor);
    }
  }
  std::vector<NodeId> memories;
  const bool isLater = !savedBy_.empty();
  for (int tensor : trace_.savedAmong(others, node, backward.recorded)) {
    const auto storage = static_cast<size_t>(trace_.storageOf(tensor));
    if (isLater) { // what is saved there for the first one, which saves all that this does
      const auto& kept = savedBy_[node];
      const auto there = std::find_if(kept.begin(), kept.end(), [&](size_t position) {
        return storageSaved(position) == static_cast<int>(storage) && !isSavedAsCopy(position) && seesWrites_[position];
      });
      if (there != kept.end()) {
        memories.push_back(saved_[*there]);
      }
      continue;
    }
    const auto memory = std::find(memoryStorages_.begin(), memoryStorages_.end(), storage) - memoryStorages_.begin();
    const int input = trace_.recorded().storages[storage].input;
    if (static_cast<size_t>(memory) < memoryNodes_.size()) {
      memories.push_back(memoryNodes_[static_cast<size_t>(memory)]);
    } else if (input >= 0) {
      memories.push_back(functionalizer_.graph().placeholders()[static_cast<size_t>(input)]);
    }
  }
  return memories;
}

/// Without the whole default partition: which values of the forward are saved.
void CompiledAotGraph::choosePasses(partitioners::PartitionInputs& inputs) const {
  if (runs_ != AotStage::kPartitioned) {
    inputs.saves = [](NodeId) { return false; };
  } else if (gate_ != nullptr && partition_ == AotPartition::kDefault) {
    inputs.saves = [this](NodeId node) {
      const auto [known, fresh] = saves_.try_emplace(node, true);
      if (fresh) {
        known->second = gate_->mayApply("saved_values", functionalizer_.graph().node(node).name);
      }
      return known->second;
    };
  }
}

void CompiledAotGraph::leaveDeadCode(const ir::Graph& joint, partitioners::PartitionInputs& inputs,
                                     const std::vector<NodeId>& outputs, bool backward) const {
  if (gate_ == nullptr) {
    return;
  }
  for (NodeId dead : partitioners::deadNodes(joint, inputs, outputs, backward)) {
    if (!gate_->mayApply("dead_code", joint.node(dead).name)) {
      inputs.kept.insert(dead);
    }
  }
}

/// The storage of the recorded Graph in which a value lies that eager saves; -1: in one that nobody else can write to.
int CompiledAotGraph::storageOfValue(NodeId value) const {
  const auto memory = std::find(memoryNodes_.begin(), memoryNodes_.end(), value);
  if (memory != memoryNodes_.end()) {
    return static_cast<int>(memoryStorages_[static_cast<size_t>(memory - memoryNodes_.begin())]);
  }
  if (cut_ && cut_->movedStorages.contains(value)) {
    return cut_->movedStorages.at(value);
  }
  const auto& metadata = functionalizer_.graph().node(value).metadata;
  return metadata ? metadata->storage : -1;
}

int CompiledAotGraph::inputHolding(size_t position) const {
  const int storage = storageSaved(position);
  const int input = storage < 0 ? -1 : trace_.recorded().storages[static_cast<size_t>(storage)].input;
  // Of several counters it is not known which one the saved tensor has.
  return input >= 0 && !plan_.inputStorages[static_cast<size_t>(input)].hasSeveralCounters ? input : -1;
}

/// The recorded forward as it is, behind it the memories that the runtime wants. Saved for their versions: memories.
ir::Graph CompiledAotGraph::recordedForward() const {
  ir::Graph recorded = trace_.recorded();
  std::vector<NodeId> outputs;
  for (size_t i = 0; i < plan_.memories.size(); ++i) {
    const ir::TensorMetadata& layout = plan_.memories[i].layout;
    outputs.push_back(recorded.addOperator(
        "aten::as_strided",
        {ir::nodeArgument(recorded.storages[memoryStorages_[i]].root), ir::integerList(layout.sizes),
         ir::integerList(layout.strides), ir::Argument{layout.offset}}));
    recorded.node(outputs.back()).metadata = layout;
  }
  for (size_t i = 0; i < saved_.size(); ++i) {
    const int storage = storageSaved(i);
    const auto memory = storage < 0
                            ? memoryStorages_.end()
                            : std::find(memoryStorages_.begin(), memoryStorages_.end(), static_cast<size_t>(storage));
    outputs.push_back(memory == memoryStorages_.end() ? -1
                                                      : outputs[static_cast<size_t>(memory - memoryStorages_.begin())]);
  }
  return ir::subgraph(recorded, recordedInputs(), outputs, [&](NodeId id) { return id < trace_.forwardEnd(); });
}

/// Forward and backward as they were recorded: takes the inputs, then the tangents.
ir::Graph CompiledAotGraph::recordedBackward(const FunctionalBackward& backward) const {
  std::vector<NodeId> taken = recordedInputs();
  for (NodeId tangent : backward.recorded.tangents) {
    if (tangent >= 0) {
      taken.push_back(tangent);
    }
  }
  return ir::subgraph(trace_.recorded(), taken, backward.recorded.gradients, [&](NodeId id) {
    return id < trace_.forwardEnd() || (id >= backward.recordedBegin && id < backward.recorded.end);
  });
}

std::vector<NodeId> CompiledAotGraph::recordedInputs() const {
  std::vector<NodeId> inputs = trace_.recorded().placeholders();
  inputs.resize(plan_.inputStorages.size()); // behind them are tangents
  return inputs;
}

ir::Graph CompiledAotGraph::backwardGraph(const ir::Graph& joint, const FunctionalBackward& backward) const {
  return runsRecorded() ? recordedBackward(backward)
                        : partitioners::backwardPart(joint, backward.inputs, backward.read);
}

/// The backward from all roots of a node. Where it raises, eager's would too, but perhaps not from each root alone: what
/// these read is saved. Nor does it read all that they read where gradients without elements are added up.
void CompiledAotGraph::recordNode(Functionalizer& joint, size_t node, std::vector<FunctionalBackward>& done) {
  const std::vector<size_t>& roots = plan_.nodes[node].roots;
  auto attempt = [&](Functionalizer& functionalizer, const std::vector<size_t>& from) {
    try {
      done.push_back(functionalBackward(functionalizer, node, plannedLayouts(from)));
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
    joint = before ? *before : functionalizer_;
  } else if (std::none_of(roots.begin(), roots.end(),
                          [&](size_t root) { return ir::elementCount(plan_.tangents[root]) == 0; })) {
    return;
  }
  for (size_t root : roots) {
    if (roots.size() > 1) {
      Functionalizer single = functionalizer_;
      attempt(single, {root});
    }
  }
}

/// Some of these values of the forward is computed from an input that requires grad, or from a leaf that the program made.
/// What is detached on the way, or made under no_grad, is not told from the rest.
bool CompiledAotGraph::mayRequireGrad(const std::vector<NodeId>& values) const {
  if (std::any_of(plan_.made.begin(), plan_.made.end(), [](const MadePlan& made) { return made.isLeafWithGrad; })) {
    return true;
  }
  const ir::Graph& graph = functionalizer_.graph();
  std::vector<bool> isBehind(graph.nodes().size(), false);
  ir::mark(isBehind, values);
  ir::spreadToOperands(graph, isBehind);
  for (size_t i = 0; i < trace_.arguments().storages.size(); ++i) {
    if (!isBehind[static_cast<size_t>(graph.placeholders()[i])]) {
      continue;
    }
    for (int tensor : trace_.arguments().storages[i].inputs) {
      const auto position = static_cast<size_t>(tensor);
      if (trace_.arguments().inputs[position].requiresGrad || plan_.inputs[position].requiresGrad.value_or(false)) {
        return true;
      }
    }
  }
  return false;
}

size_t CompiledAotGraph::positionOfSaved(NodeId value, const FunctionalBackward& backward) const {
  const auto known = backward.savedAs.find(value);
  const auto found = std::find(saved_.begin(), saved_.end(), known != backward.savedAs.end() ? known->second : value);
  if (found == saved_.end()) {
    throw ir::Unsupported(
        "a backward from some outputs reads what none that was planned does: a custom function takes another way");
  }
  return static_cast<size_t>(found - saved_.begin());
}

/// Of what the backward's Graph takes, in the order of its placeholders.
std::vector<size_t> CompiledAotGraph::savedPositions(const FunctionalBackward& backward) const {
  std::vector<size_t> positions;
  for (size_t i = 0; i < backward.read.size() && !runsRecorded(); ++i) {
    positions.push_back(positionOfSaved(backward.read[i], backward));
  }
  return positions;
}

CompiledBackwardGraph CompiledAotGraph::makeBackward(ir::Graph graph, const FunctionalBackward& backward) const {
  CompiledBackwardGraph compiled;
  compiled.reached = backward.recorded.reached;
  compiled.saved = savedPositions(backward);
  for (NodeId value : backward.checked) {
    compiled.checked.push_back(positionOfSaved(value, backward));
  }
  compiled.savesInEager =
      backward.recorded.writesToViews || (cut_ ? !backward.eager.empty() : runsRecorded() && !backward.checked.empty());
  compiled.readsGrad = mayRequireGrad(cut_ ? backward.eager : backward.read);
  for (size_t i = 0; i < backward.recorded.tangents.size(); ++i) {
    if (backward.recorded.tangents[i] >= 0) {
      compiled.tangents.push_back(i);
    }
  }
  if (!runsRecorded()) {
    compiled.writtenTangents = backward.writtenTangents;
  }
  if (backwardCompiler_ && !runsRecorded()) { // the recorded one has to see where its backward begins
    compiled.compiled = backwardCompiler_(graph, examplesOf(graph));
  }
  compiled.graph = std::make_unique<runtime::Interpreter>(std::move(graph), runtime::NodeState::kCallers);
  return compiled;
}

/// What is saved although eager does not: no write to it may matter.
void CompiledAotGraph::planCopies(const std::vector<std::vector<FunctionalBackward>>& byNode) {
  for (const auto& backwards : byNode) {
    for (const FunctionalBackward& backward : backwards) {
      if (backward.inputs.saves) {
        copied_.insert(backward.read.begin(), backward.read.end());
      }
      copied_.insert(backward.spared.begin(), backward.spared.end());
    }
  }
  for (const auto& backwards : byNode) {
    for (const FunctionalBackward& backward : backwards) {
      for (NodeId value : backward.checked) {
        copied_.erase(value);
      }
    }
  }
  spareCopies(byNode);
}

/// Writes at the end of the forward Graph what is in the memory of inputs then. Left to the runtime: writes that no version
/// tells of, or one of several.
void CompiledAotGraph::writeInputs(ir::Graph& forward) {
  std::vector<ir::Argument>& outputs = std::get<ir::Argument::Container>(forward.output.payload).items;
  for (size_t i = 0; i < plan_.memories.size(); ++i) {
    const int number = plan_.memories[i].inputStorage;
    if (number < 0) {
      continue;
    }
    InputStoragePlan& storage = plan_.inputStorages[static_cast<size_t>(number)];
    if (storage.hasSeveralCounters || !plan_.inputs[static_cast<size_t>(storage.firstInput)].versionBumped) {
      continue;
    }
    storage.isWrittenByGraph = true;
    const ir::TensorMetadata& layout = plan_.memories[i].layout;
    NodeId target = forward.placeholders()[static_cast<size_t>(number)];
    const ir::TensorMetadata& given = *forward.node(target).metadata;
    if (!ir::sameLayout(given, layout) || given.offset != layout.offset) {
      target = forward.addOperator("aten::as_strided", {ir::nodeArgument(target), ir::integerList(layout.sizes),
                                                        ir::integerList(layout.strides), ir::Argument{layout.offset}});
      forward.node(target).metadata = layout;
    }
    const NodeId copy = forward.addOperator(
        "aten::copy_", {ir::nodeArgument(target), std::exchange(outputs[i], ir::Argument{}), ir::Argument{false}});
    forward.node(copy).metadata = forward.node(target).metadata;
    forward.node(copy).writes = {target};
  }
}

void CompiledAotGraph::compileJoint(const AotOptions& options) {
  StagePublisher publisher(options.hooks);
  std::vector<NodeId> recordedOutputs;
  for (int output : plan_.outputs) {
    recordedOutputs.push_back(output < 0 ? -1 : trace_.nodeOf(output));
  }
  publisher.publish("captured", trace_.recorded(), recordedOutputs);

  Functionalizer joint = functionalizer_;
  partitioners::PartitionInputs all;
  all.inputs = joint.graph().placeholders(); // those of inputs; tangents come later
  all.outputs = memoryNodes_;
  std::vector<std::vector<FunctionalBackward>> byNode(plan_.nodes.size());
  for (size_t node = 0; node < plan_.nodes.size(); ++node) {
    recordNode(joint, node, byNode[node]);
    for (const FunctionalBackward& backward : byNode[node]) {
      if (backward.isJoint) {
        recordedOutputs.insert(recordedOutputs.end(), backward.recorded.gradients.begin(),
                               backward.recorded.gradients.end());
        std::transform(backward.writtenTangents.begin(), backward.writtenTangents.end(),
                       std::back_inserter(recordedOutputs),
                       [&](size_t root) { return backward.recorded.tangents[root]; });
        all.gradients.insert(all.gradients.end(), backward.inputs.gradients.begin(), backward.inputs.gradients.end());
      }
    }
  }
  publisher.publish("joint", trace_.recorded(), recordedOutputs);
  std::vector<NodeId> functionalOutputs = all.outputs;
  functionalOutputs.insert(functionalOutputs.end(), all.gradients.begin(), all.gradients.end());
  publisher.publish("functional", joint.graph(), functionalOutputs);
  if (partition_ != AotPartition::kDefault && runs_ == AotStage::kPartitioned && !plan_.nodes.empty()) {
    cutJoint(joint, all, byNode, options, publisher);
  }
  for (const std::vector<FunctionalBackward>& backwards : byNode) {
    for (const FunctionalBackward& backward : backwards) {
      for (const std::vector<NodeId>* values : {&backward.read, &backward.checked, &backward.spared}) {
        for (NodeId value : *values) {
          if (std::find(saved_.begin(), saved_.end(), value) == saved_.end()) {
            saved_.push_back(value);
          }
        }
      }
    }
  }
  planCopies(byNode);
  if (!options.hooks.empty()) {
    publisher.publish("metadata", plan_.text());
  }

  std::vector<NodeId> forwardOutputs = all.outputs;
  forwardOutputs.insert(forwardOutputs.end(), saved_.begin(), saved_.end());
  const ir::Graph& whole = cut_ ? joint.graph() : functionalizer_.graph();
  leaveDeadCode(whole, all, forwardOutputs, false);
  ir::Graph forward = runsRecorded() ? recordedForward() : partitioners::forwardPart(whole, all, saved_);
  publisher.publishSaved(whole, saved_);
  if (options.keepInferenceInputMutations && plan_.nodes.empty() && !runsRecorded()) {
    writeInputs(forward);
  }
  publisher.describe([&] { return signatureOf(plan_, trace_.arguments(), forward); });
  publisher.replaceable("forward", forward);
  plan_.mayRaise = partitioners::mayRaise(forward);
  const bool isInference = plan_.nodes.empty() && options.inferenceCompiler != nullptr;
  if (const backends::GraphCompiler& compiler = isInference ? options.inferenceCompiler : options.forwardCompiler) {
    compiledForward_ = compiler(forward, examplesOf(forward));
  }
  forward_ = std::make_unique<runtime::Interpreter>(std::move(forward), runtime::NodeState::kCallers);
  for (size_t position = 0; position < saved_.size(); ++position) {
    inputSaved_.push_back(inputHolding(position)); // now: later backwards change the trace, on any thread
    seesWrites_.push_back(versionOwner(whole, saved_[position]) < 0);
  }
  savedBy_.resize(plan_.nodes.size());
  for (size_t node = 0; node < plan_.nodes.size(); ++node) {
    std::set<size_t> positions;
    const auto keep = [&](const std::vector<NodeId>& values) {
      for (NodeId value : values) {
        positions.insert(static_cast<size_t>(std::find(saved_.begin(), saved_.end(), value) - saved_.begin()));
      }
    };
    for (const FunctionalBackward& backward : byNode[node]) {
      TangentLayouts layouts(plan_.roots.size());
      for (size_t i = 0; i < layouts.size(); ++i) {
        if (backward.recorded.tangents[i] >= 0) {
          layouts[i] = plan_.tangents[i];
        }
      }
      if (backward.isJoint) {
        ir::Graph part = backwardGraph(joint.graph(), backward);
        const std::string stage = plan_.nodes.size() == 1 ? "backward" : "backward_" + std::to_string(node);
        publisher.describeBackward([&] {
          ir::GraphSignature::Backward signature =
              backwardSignature(plan_, stage, savedPositions(backward), backward.recorded.tangents);
          signature.gradients.resize(ir::outputNodes(part).size(), -1);
          return signature;
        });
        publisher.replaceable(stage, part);
        CompiledBackwardGraph compiled = makeBackward(std::move(part), backward);
        positions.insert(compiled.saved.begin(), compiled.saved.end());
        positions.insert(compiled.checked.begin(), compiled.checked.end());
        backwards_.emplace(keyOf(node, layouts), std::move(compiled));
        keep(backward.spared);
      } else {
        keep(backward.read);
        keep(backward.checked);
      }
    }
    savedBy_[node].assign(positions.begin(), positions.end());
  }
}

const CompiledBackwardGraph& CompiledAotGraph::backwardFor(size_t node, const TangentLayouts& layouts,
                                                           const AutocastRegions& autocast) const {
  BackwardKey key = keyOf(node, layouts, autocast);
  std::lock_guard<std::mutex> lock(mutex_);
  auto known = backwards_.find(key);
  if (known != backwards_.end()) {
    return known->second;
  }
  const auto failed = failures_.find(key);
  if (failed != failures_.end()) { // recorded once: the trace grows with each
    std::rethrow_exception(failed->second);
  }
  CompiledBackwardGraph compiled;
  std::exception_ptr error;
  // On a thread of its own: inside a running backward, nodes would ask the engine of this thread what to compute.
  std::thread([&] {
    try {
      for (const auto& [device, dtype] : autocast) { // of this thread, which ends here
        at::autocast::set_autocast_dtype(device, dtype);
        at::autocast::set_autocast_enabled(device, true);
        at::autocast::set_autocast_cache_enabled(false);
      }
      Functionalizer functionalizer = functionalizer_;
      FunctionalBackward backward = functionalBackward(functionalizer, node, layouts, !autocast.empty());
      if (cut_) {
        followCut(node, functionalizer.graph(), backward);
      }
      compiled = makeBackward(backwardGraph(functionalizer.graph(), backward), backward);
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) {
    failures_.emplace(std::move(key), error);
    std::rethrow_exception(error);
  }
  return backwards_.emplace(std::move(key), std::move(compiled)).first->second;
}

} // namespace touchstone::aot_autograd
