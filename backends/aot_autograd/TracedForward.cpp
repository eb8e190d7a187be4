#include "backends/aot_autograd/TracedForward.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <map>
#include <utility>

namespace touchstone::aot_autograd {

using ir::NodeId;

TracedForward::TracedForward(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs,
                             const AotOptions& options)
    : trace(program, inputs, options.backing, options.claimed, options.asPyTorch),
      plan(trace.plan()),
      functionalizer(trace.recorded(), {.table = options.decompositions, .gate = options.gate}),
      takesGradients_(std::any_of(program.graph().nodes().begin(), program.graph().nodes().end(),
                                  [](const ir::Node& node) { return node.target == "autograd::grad"; })) {
  functionalizer.process(trace.forwardEnd(), false);
  const bool hasEffects = functionalizer.tokens().taken >= 0;
  if (hasEffects && options.runs == AotResult::kJoint && !plan.nodes.empty()) {
    throw ir::Unsupported("an operator with an effect, in a forward that its backward runs again");
  }
  plan.callsEffects = hasEffects && options.runs == AotResult::kJoint;
  plan.takesToken = hasEffects && options.runs != AotResult::kJoint && !options.unliftEffectTokens;
  planMemories();
  planLifetimes();
}

/// Decides which storages the forward Graph returns, and where each tensor lies.
void TracedForward::planMemories() {
  const auto& inputStorages = trace.arguments().storages;
  auto inputOf = [&](int number) { return trace.recorded().storages[static_cast<size_t>(number)].input; };
  std::map<int, int> memoryOf;
  auto addMemory = [&](int number) {
    auto [entry, fresh] = memoryOf.try_emplace(number, static_cast<int>(plan.memories.size()));
    if (fresh) {
      const StorageValue value = functionalizer.readStorage(number);
      const ir::TracedStorage& storage = trace.recorded().storages[static_cast<size_t>(number)];
      MemoryPlan memory;
      memory.inputStorage = inputOf(number);
      memory.bytes = storage.bytes;
      memory.layout = *trace.recorded().node(storage.root).metadata;
      if (value.isFlat) {
        memory.layout = {.dtype = storage.dtype,
                         .sizes = {functionalizer.length(number)},
                         .strides = {1},
                         .device = memory.layout.device,
                         .storage = number};
      }
      plan.memories.push_back(std::move(memory));
      memoryNodes.push_back(value.node);
      memoryStorages.push_back(static_cast<size_t>(number));
    }
    return entry->second;
  };
  for (size_t i = 0; i < inputStorages.size(); ++i) {
    if (functionalizer.writes(inputStorages[i].number) > 0) {
      addMemory(inputStorages[i].number);
      for (int input : inputStorages[i].inputs) {
        InputPlan& written = plan.inputs[static_cast<size_t>(input)];
        written.dataMutated = written.versionBumped || inputStorages[i].inputs.size() == 1;
        written.mutationHidden =
            written.dataMutated && written.root < 0 && trace.arguments().inputs[input].requiresGrad;
      }
    }
  }
  auto place = [&](PlacePlan& where, int tensor) {
    const int number = trace.storageOf(tensor);
    where.inputStorage = inputOf(number);
    where.memory = where.inputStorage < 0 ? addMemory(number) : -1;
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.inputs[i].moved) {
      place(*plan.inputs[i].moved, static_cast<int>(i));
    }
  }
  for (size_t i = 0; i < plan.made.size(); ++i) {
    place(plan.made[i].place, static_cast<int>(plan.inputs.size() + i));
    MadePlan& made = plan.made[i];
    made.hasCounterOfMemory =
        made.place.memory >= 0 &&
        std::none_of(plan.made.begin(), plan.made.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const MadePlan& other) { return other.place.memory == made.place.memory; });
    const bool isBase = std::any_of(plan.made.begin(), plan.made.end(), [&](const MadePlan& other) {
      return other.base == static_cast<int>(plan.inputs.size() + i);
    });
    if (made.hasCounterOfMemory && made.base < 0 && !isBase && made.counterOf < 0 && !made.isInference) {
      const ir::TensorMetadata& geometry = made.place.geometry;
      const ir::TensorMetadata& layout = plan.memories[static_cast<size_t>(made.place.memory)].layout;
      made.isWholeMemory = ir::sameLayout(geometry, layout) && geometry.offset == layout.offset &&
                           geometry.dtype.value == layout.dtype.value && !geometry.conjugate && !geometry.negative;
    }
  }
}

/// Which inputs the runtime still needs when the forward Graph has run.
void TracedForward::planLifetimes() {
  auto needStorage = [&](int storage) {
    if (storage >= 0) {
      plan.inputStorages[static_cast<size_t>(storage)].neededAfter = true;
    }
  };
  auto needInput = [&](int tensor) {
    if (tensor >= 0 && static_cast<size_t>(tensor) < plan.inputs.size()) {
      plan.inputs[static_cast<size_t>(tensor)].neededAfter = true;
    }
  };
  for (const MemoryPlan& memory : plan.memories) {
    needStorage(memory.inputStorage);
  }
  for (const MadePlan& made : plan.made) {
    needStorage(made.place.inputStorage);
    needInput(made.base);
    needInput(made.counterOf);
  }
  for (const InputHook& hook : plan.hooks) {
    needInput(hook.input);
  }
  for (int output : plan.outputs) {
    needInput(output);
  }
  for (InputPlan& input : plan.inputs) {
    if (input.moved) {
      needStorage(input.moved->inputStorage);
    }
    input.neededAfter = input.neededAfter || input.moved || input.takesHistory || input.hasStaleNode ||
                        input.versionBumped || input.requiresGrad || input.detached || input.retainsGrad ||
                        input.root >= 0;
  }
}

int TracedForward::storageOf(NodeId value) const {
  const auto memory = std::find(memoryNodes.begin(), memoryNodes.end(), value);
  if (memory != memoryNodes.end()) {
    return static_cast<int>(memoryStorages[static_cast<size_t>(memory - memoryNodes.begin())]);
  }
  if (const auto moved = movedStorages.find(value); moved != movedStorages.end()) {
    return moved->second;
  }
  const auto& metadata = functionalizer.graph().node(value).metadata;
  return metadata ? metadata->storage : -1;
}

bool TracedForward::isSeenOutside(NodeId value) const {
  const int storage = storageOf(value);
  return storage >= 0 && (trace.recorded().storages[static_cast<size_t>(storage)].input >= 0 ||
                          std::find(memoryStorages.begin(), memoryStorages.end(), static_cast<size_t>(storage)) !=
                              memoryStorages.end());
}

std::vector<NodeId> TracedForward::recordedInputs() const {
  std::vector<NodeId> inputs = trace.recorded().placeholders();
  inputs.resize(plan.inputStorages.size());
  return inputs;
}

int TracedForward::inputHolding(NodeId value) const {
  const int storage = storageOf(value);
  const int input = storage < 0 ? -1 : trace.recorded().storages[static_cast<size_t>(storage)].input;
  // Of several counters it is not known which one the saved tensor has.
  return input >= 0 && !plan.inputStorages[static_cast<size_t>(input)].hasSeveralCounters ? input : -1;
}

bool TracedForward::mayRequireGrad(const std::vector<NodeId>& values) const {
  if (std::any_of(plan.made.begin(), plan.made.end(), [](const MadePlan& made) { return made.isLeafWithGrad; })) {
    return true;
  }
  const ir::Graph& graph = functionalizer.graph();
  std::vector<bool> isBehind(graph.nodes().size(), false);
  ir::mark(isBehind, values);
  ir::spreadToOperands(graph, isBehind);
  // What was written over an input is read from it, also where it is computed from nothing else.
  std::vector<bool> isRead(trace.arguments().storages.size(), false);
  for (size_t i = 0; i < isRead.size(); ++i) {
    isRead[i] = isBehind[static_cast<size_t>(functionalizer.inputAt(i))];
  }
  for (size_t node = 0; node < isBehind.size(); ++node) {
    const int storage = isBehind[node] ? storageOf(static_cast<NodeId>(node)) : -1;
    const int input = storage < 0 ? -1 : trace.recorded().storages[static_cast<size_t>(storage)].input;
    if (input >= 0 && static_cast<size_t>(input) < isRead.size()) {
      isRead[static_cast<size_t>(input)] = true;
    }
  }
  for (size_t i = 0; i < isRead.size(); ++i) {
    const std::vector<int>& tensors = trace.arguments().storages[i].inputs;
    if (isRead[i] && std::any_of(tensors.begin(), tensors.end(), [this](int tensor) { return requiresGrad(tensor); })) {
      return true;
    }
  }
  return false;
}

bool TracedForward::requiresGrad(int input) const {
  const auto position = static_cast<size_t>(input);
  return trace.arguments().inputs[position].requiresGrad || plan.inputs[position].requiresGrad.value_or(false);
}

/// Gradients flow to the base of the view that the input is, which the call is not given.
bool TracedForward::hasBaseWithEdge(size_t input) const {
  const int base = trace.arguments().inputs[input].base;
  return base >= 0 && plan.inputs[static_cast<size_t>(base)].isHidden &&
         std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](const auto& node) {
           return std::any_of(node.wanted.begin(), node.wanted.end(),
                              [&](size_t wanted) { return plan.wanted[wanted] == base; });
         });
}

void TracedForward::noteWritesInBackward() {
  const auto end = static_cast<NodeId>(trace.recorded().nodes().size());
  for (const auto& [storage, writes] : trace.writesToForward(trace.forwardEnd(), end)) {
    writtenInBackward_.insert(storage);
  }
}

bool TracedForward::onlyReads(size_t input) const {
  const auto storage = static_cast<size_t>(trace.arguments().inputs[input].storage);
  const int number = trace.arguments().storages[storage].number;
  if ((takesGradients_ && trace.arguments().inputs[input].requiresGrad) || writtenInBackward_.contains(number)) {
    return false;
  }
  return !plan.inputStorages[storage].neededAfter && !plan.inputs[input].neededAfter && !hasBaseWithEdge(input) &&
         !trace.recorded().storages[static_cast<size_t>(number)].isPlacedIn;
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

} // namespace touchstone::aot_autograd
