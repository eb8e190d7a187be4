// CompiledAotGraph: what the runtime around the forward Graph does with the memory of inputs and outputs, and what it relies on.

#include "backends/aot_autograd/CompiledAotGraph.h"

#include "graph/ir/Geometry.h"

#include <algorithm>
#include <map>
#include <utility>

namespace touchstone::aot_autograd {

/// Decides which storages the forward Graph returns, and where each tensor lies.
void CompiledAotGraph::planMemories() {
  const auto& inputStorages = trace_.arguments().storages;
  auto inputOf = [&](int number) { return trace_.recorded().storages[static_cast<size_t>(number)].input; };
  std::map<int, int> memoryOf;
  auto addMemory = [&](int number) {
    auto [entry, fresh] = memoryOf.try_emplace(number, static_cast<int>(plan_.memories.size()));
    if (fresh) {
      const Functionalizer::StorageValue value = functionalizer_.readStorage(number);
      const ir::TracedStorage& storage = trace_.recorded().storages[static_cast<size_t>(number)];
      MemoryPlan memory;
      memory.inputStorage = inputOf(number);
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
      memoryStorages_.push_back(static_cast<size_t>(number));
    }
    return entry->second;
  };
  for (size_t i = 0; i < inputStorages.size(); ++i) {
    if (functionalizer_.writes(inputStorages[i].number) > 0) {
      addMemory(inputStorages[i].number);
      for (int input : inputStorages[i].inputs) {
        InputPlan& plan = plan_.inputs[static_cast<size_t>(input)];
        plan.dataMutated = plan.versionBumped || inputStorages[i].inputs.size() == 1;
        plan.mutationHidden = plan.dataMutated && plan.root < 0 && trace_.arguments().inputs[input].requiresGrad;
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
    MadePlan& made = plan_.made[i];
    made.hasCounterOfMemory =
        made.place.memory >= 0 &&
        std::none_of(plan_.made.begin(), plan_.made.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const MadePlan& other) { return other.place.memory == made.place.memory; });
    const bool isBase = std::any_of(plan_.made.begin(), plan_.made.end(), [&](const MadePlan& other) {
      return other.base == static_cast<int>(plan_.inputs.size() + i);
    });
    if (made.hasCounterOfMemory && made.base < 0 && !isBase && made.counterOf < 0 && !made.isInference) {
      const ir::TensorMetadata& geometry = made.place.geometry;
      const ir::TensorMetadata& layout = plan_.memories[static_cast<size_t>(made.place.memory)].layout;
      made.isWholeMemory = ir::sameLayout(geometry, layout) && geometry.offset == layout.offset &&
                           geometry.dtype.value == layout.dtype.value && !geometry.conjugate && !geometry.negative;
    }
  }
}

/// Which inputs the runtime still needs when the forward Graph has run.
void CompiledAotGraph::planLifetimes() {
  auto needStorage = [&](int storage) {
    if (storage >= 0) {
      plan_.inputStorages[static_cast<size_t>(storage)].neededAfter = true;
    }
  };
  auto needInput = [&](int tensor) {
    if (tensor >= 0 && static_cast<size_t>(tensor) < plan_.inputs.size()) {
      plan_.inputs[static_cast<size_t>(tensor)].neededAfter = true;
    }
  };
  for (const MemoryPlan& memory : plan_.memories) {
    needStorage(memory.inputStorage);
  }
  for (const MadePlan& made : plan_.made) {
    needStorage(made.place.inputStorage);
    needInput(made.base);
    needInput(made.counterOf);
  }
  for (const InputHook& hook : plan_.hooks) {
    needInput(hook.input);
  }
  for (int output : plan_.outputs) {
    needInput(output);
  }
  for (InputPlan& input : plan_.inputs) {
    if (input.moved) {
      needStorage(input.moved->inputStorage);
    }
    input.neededAfter = input.neededAfter || input.moved || input.takesHistory || input.hasStaleNode ||
                        input.versionBumped || input.requiresGrad || input.detached || input.retainsGrad ||
                        input.root >= 0;
  }
}

/// Gradients flow to the base of the view that the input is, which the call is not given.
bool CompiledAotGraph::hasBaseWithEdge(size_t input) const {
  const int base = trace_.arguments().inputs[input].base;
  return base >= 0 && plan_.inputs[static_cast<size_t>(base)].isHidden &&
         std::any_of(plan_.nodes.begin(), plan_.nodes.end(), [&](const auto& node) {
           return std::any_of(node.wanted.begin(), node.wanted.end(),
                              [&](size_t wanted) { return plan_.wanted[wanted] == base; });
         });
}

bool CompiledAotGraph::onlyReads(size_t input) const {
  const auto storage = static_cast<size_t>(trace_.arguments().inputs[input].storage);
  const int number = trace_.arguments().storages[storage].number;
  if (takesGradients_ && trace_.arguments().inputs[input].requiresGrad) {
    return false;
  }
  return !plan_.inputStorages[storage].neededAfter && !plan_.inputs[input].neededAfter && !hasBaseWithEdge(input) &&
         !trace_.recorded().storages[static_cast<size_t>(number)].isPlacedIn;
}

/// Of an input alone in its memory that is neither changed nor returned in any form nothing is taken for granted, unless
/// the program says where in that memory something is (`as_strided`).
std::vector<backends::Assumption> CompiledAotGraph::assumptions() const {
  std::vector<backends::Assumption> assumptions;
  for (size_t i = 0; i < plan_.inputs.size() && !plan_.inputs[i].isHidden; ++i) {
    const auto storage = static_cast<size_t>(trace_.arguments().inputs[i].storage);
    // A recorded Graph runs whole, the places of hidden bases included.
    const bool isFree = onlyReads(i) && !plan_.inputStorages[storage].isFlat && !runsRecorded();
    assumptions.push_back(isFree ? backends::Assumption::kNone : backends::Assumption::kMemory);
  }
  return assumptions;
}

} // namespace touchstone::aot_autograd
