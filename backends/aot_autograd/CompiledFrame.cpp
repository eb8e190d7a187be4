#include "backends/aot_autograd/CompiledFrame.h"

#include "graph/ir/Subgraph.h"
#include "graph/program/CompiledProgram.h"

#include <algorithm>
#include <thread>

namespace touchstone::backends {

namespace {

using graph::NodeId;

std::vector<NodeId> inputPlaceholders(const graph::Graph& graph, size_t count) {
  const auto& all = graph.placeholders();
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

} // namespace

CompiledFrame::CompiledFrame(const graph::Case& theCase, const graph::ValueList& arguments, const AotOptions& options)
    : trace_(theCase, arguments, options.beneath), plan_(trace_.plan()), functionalizer_(trace_.recorded()) {
  functionalizer_.process(trace_.forwardEnd(), false);
  operations_ = trace_.forwardOperations();
  planMemories();
  compileJoint(options);
}

/// Decides which storages the forward Graph returns, and where each tensor lies.
void CompiledFrame::planMemories() {
  const auto& inputStorages = trace_.arguments().storages;
  auto inputOf = [&](int number) {
    for (size_t i = 0; i < inputStorages.size(); ++i) {
      if (inputStorages[i].number == number) {
        return static_cast<int>(i);
      }
    }
    return -1;
  };
  std::map<int, int> memoryOf;
  auto addMemory = [&](int number) {
    auto [entry, fresh] = memoryOf.try_emplace(number, static_cast<int>(plan_.memories.size()));
    if (fresh) {
      const Functionalizer::StorageValue value = functionalizer_.readStorage(number);
      const graph::TracedStorage& storage = trace_.recorded().storages[static_cast<size_t>(number)];
      MemoryPlan memory;
      memory.inputStorage = inputOf(number);
      memory.isFlat = value.isFlat;
      memory.bytes = storage.bytes;
      memory.layout = *trace_.recorded().node(storage.root).metadata;
      if (value.isFlat) {
        memory.layout = {.dtype = storage.dtype,
                         .sizes = {functionalizer_.length(number)},
                         .strides = {1},
                         .device = memory.layout.device,
                         .storage = number};
      }
      plan_.memories.push_back(std::move(memory));
      memoryNodes_.push_back(value.node);
    }
    return entry->second;
  };
  for (size_t i = 0; i < inputStorages.size(); ++i) {
    if (functionalizer_.writes(inputStorages[i].number) > 0) {
      addMemory(inputStorages[i].number);
      for (int input : inputStorages[i].inputs) {
        InputPlan& plan = plan_.inputs[static_cast<size_t>(input)];
        plan.dataMutated = plan.versionBumped || inputStorages[i].inputs.size() == 1;
        plan.mutationHidden = plan.dataMutated && plan.root < 0;
      }
    }
  }
  auto place = [&](PlacePlan& where, int tensor) {
    const int number = trace_.storageOf(tensor);
    where.inputStorage = inputOf(number);
    where.memory = where.inputStorage < 0 ? addMemory(number) : -1;
  };
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    if (plan_.inputs[i].moved) {
      place(*plan_.inputs[i].moved, static_cast<int>(i));
    }
  }
  for (size_t i = 0; i < plan_.made.size(); ++i) {
    place(plan_.made[i].place, static_cast<int>(plan_.inputs.size() + i));
  }
}

PartitionInputs CompiledFrame::partitionInputs(Functionalizer& functionalizer,
                                               const JointTrace::Backward& backward) const {
  PartitionInputs inputs;
  inputs.inputs = inputPlaceholders(functionalizer.graph(), plan_.inputStorages.size());
  inputs.outputs = memoryNodes_;
  for (NodeId tangent : backward.tangents) {
    if (tangent >= 0) {
      inputs.tangents.push_back(functionalizer.read(tangent));
    }
  }
  for (NodeId gradient : backward.gradients) {
    inputs.gradients.push_back(gradient >= 0 ? functionalizer.read(gradient) : -1);
  }
  return inputs;
}

void CompiledFrame::checkBackwardWrites(const Functionalizer& functionalizer, const Functionalizer& forward) const {
  for (const TracedInputStorage& storage : trace_.arguments().storages) {
    if (functionalizer.writes(storage.number) != forward.writes(storage.number)) {
      throw graph::Unsupported("an input is written to in the backward");
    }
  }
}

CompiledBackwardGraph CompiledFrame::makeBackward(graph::Graph graph, const std::vector<NodeId>& read,
                                                  const JointTrace::Backward& backward,
                                                  const std::vector<bool>& hasTangent) const {
  CompiledBackwardGraph compiled;
  for (NodeId value : read) {
    const auto found = std::find(saved_.begin(), saved_.end(), value);
    TORCH_INTERNAL_ASSERT(found != saved_.end(), "a backward from some outputs reads `",
                          functionalizer_.graph().node(value).name, "`, which that from all of them does not");
    compiled.saved.push_back(static_cast<size_t>(found - saved_.begin()));
  }
  for (size_t i = 0; i < hasTangent.size(); ++i) {
    if (hasTangent[i]) {
      compiled.tangents.push_back(i);
    }
  }
  for (NodeId gradient : backward.gradients) {
    compiled.gives.push_back(gradient >= 0);
  }
  compiled.graph = std::make_unique<graph::Interpreter>(std::move(graph), graph::NodeState::kCallers);
  return compiled;
}

void CompiledFrame::compileJoint(const AotOptions& options) {
  graph::StageArtifacts artifacts;
  const bool shown = !options.hooks.empty();
  auto finished = [&](const char* stage, graph::Graph graph) {
    artifacts.graphs.emplace_back(stage, std::move(graph));
    for (const auto& hook : options.hooks) {
      hook->after(stage, artifacts);
    }
  };
  auto withOutputs = [&](graph::Graph graph, const std::vector<NodeId>& outputs) {
    graph::Argument::Container tuple{.kind = graph::Argument::Container::Kind::kTuple, .items = {}, .keys = {}};
    for (NodeId output : outputs) {
      tuple.items.push_back(output < 0 ? graph::Argument{} : graph::Argument{graph::NodeReference{output}});
    }
    graph.output = graph::Argument{std::move(tuple)};
    return graph;
  };
  std::vector<NodeId> recordedOutputs;
  for (int output : plan_.outputs) {
    recordedOutputs.push_back(output < 0 ? -1 : trace_.nodeOf(output));
  }
  if (shown) {
    finished("captured", withOutputs(trace_.recorded(), recordedOutputs));
  }

  const std::vector<bool> all(plan_.roots.size(), true);
  JointTrace::Backward backward;
  Functionalizer joint = functionalizer_;
  if (!plan_.roots.empty()) {
    try {
      backward = trace_.recordBackward(all);
      joint.process(backward.end, true);
      checkBackwardWrites(joint, functionalizer_);
    } catch (const graph::Unsupported&) {
      throw;
    } catch (const std::exception&) {
      // Eager would raise this when the backward runs, and so do we.
      backwardError_ = std::current_exception();
      backward = {};
      joint = functionalizer_;
    }
  }
  if (shown) {
    std::vector<NodeId> outputs = recordedOutputs;
    outputs.insert(outputs.end(), backward.gradients.begin(), backward.gradients.end());
    finished("joint", withOutputs(trace_.recorded(), outputs));
  }

  const PartitionInputs inputs = partitionInputs(joint, backward);
  if (shown) {
    std::vector<NodeId> outputs = inputs.outputs;
    outputs.insert(outputs.end(), inputs.gradients.begin(), inputs.gradients.end());
    finished("functional", withOutputs(joint.graph(), outputs));
    artifacts.texts.emplace_back("metadata", plan_.text());
    for (const auto& hook : options.hooks) {
      hook->after("metadata", artifacts);
    }
    joint.graph() = *artifacts.graph("functional");
  }

  Partition partition = defaultPartition(joint.graph(), inputs);
  saved_ = partition.saved;
  if (shown) {
    finished("forward", std::move(partition.forward));
    finished("backward", std::move(partition.backward));
    partition.forward = *artifacts.graph("forward");
    partition.backward = *artifacts.graph("backward");
  }
  forward_ = std::make_unique<graph::Interpreter>(std::move(partition.forward), graph::NodeState::kCallers);
  if (!plan_.roots.empty() && !backwardError_) {
    backwards_.emplace(all, makeBackward(std::move(partition.backward), partition.saved, backward, all));
  }
}

/// On a thread of its own: inside a running backward, nodes would ask the engine of this thread what to compute.
JointTrace::Backward CompiledFrame::recordBackwardAside(const std::vector<bool>& hasTangent) const {
  JointTrace::Backward backward;
  std::exception_ptr error;
  std::thread([&] {
    try {
      backward = trace_.recordBackward(hasTangent);
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) {
    std::rethrow_exception(error);
  }
  return backward;
}

const CompiledBackwardGraph& CompiledFrame::backwardFor(const std::vector<bool>& hasTangent) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto known = backwards_.find(hasTangent);
  if (known != backwards_.end()) {
    return known->second;
  }
  if (backwardError_) {
    std::rethrow_exception(backwardError_);
  }
  const JointTrace::Backward backward = recordBackwardAside(hasTangent);
  Functionalizer joint = functionalizer_;
  joint.skip(backward.begin);
  joint.process(backward.end, true);
  checkBackwardWrites(joint, functionalizer_);
  const PartitionInputs inputs = partitionInputs(joint, backward);
  Partition partition = defaultPartition(joint.graph(), inputs);
  return backwards_
      .emplace(hasTangent, makeBackward(std::move(partition.backward), partition.saved, backward, hasTangent))
      .first->second;
}

} // namespace touchstone::backends
