#include "backends/aot_autograd/ViewAndMutationMetadata.h"

#include "graph/symbols/SymbolicGraph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace touchstone::aot_autograd {

namespace {

std::string geometryText(const ir::TensorMetadata& tensor) {
  std::string text = fmt::format("{}[{}] strides [{}]", ir::dtypeName(tensor.dtype), fmt::join(tensor.sizes, ", "),
                                 fmt::join(tensor.strides, ", "));
  if (tensor.offset != 0) {
    text += fmt::format(" offset {}", tensor.offset);
  }
  return text;
}

const char* kindText(OutputKind kind) {
  switch (kind) {
    case OutputKind::kInput: return "is the input";
    case OutputKind::kAliasOfInput: return "alias of an input";
    case OutputKind::kBase: return "intermediate that other outputs are views of";
    case OutputKind::kAliasOfIntermediate: return "alias of an intermediate";
    case OutputKind::kSharesMemory: return "shares memory with another output";
    case OutputKind::kFresh: return "fresh";
  }
  return "";
}

const char* creationText(torch::autograd::CreationMeta creation) {
  using torch::autograd::CreationMeta;
  switch (creation) {
    case CreationMeta::DEFAULT: return "";
    case CreationMeta::IN_CUSTOM_FUNCTION: return ", made in a custom function";
    case CreationMeta::MULTI_OUTPUT_NODE: return ", one of several views made at once";
    case CreationMeta::NO_GRAD_MODE: return ", made under no_grad";
    case CreationMeta::INFERENCE_MODE: return ", made in inference mode";
  }
  return "";
}

} // namespace

std::vector<int64_t*> ViewAndMutationMetadata::numbers() {
  std::vector<int64_t*> places;
  for (InputPlan& input : inputs) {
    if (input.moved) {
      symbols::addNumbers(input.moved->geometry, places);
    }
  }
  for (MadePlan& each : made) {
    symbols::addNumbers(each.place.geometry, places);
    std::ranges::transform(each.viewNumbers, std::back_inserter(places), [](int64_t& number) { return &number; });
  }
  for (MemoryPlan& memory : memories) {
    symbols::addNumbers(memory.layout, places);
    places.push_back(&memory.bytes);
  }
  for (ir::TensorMetadata& tangent : tangents) {
    symbols::addNumbers(tangent, places);
  }
  return places;
}

OutputKind ViewAndMutationMetadata::outputKind(size_t output) const {
  const int tensor = outputs.at(output);
  if (tensor < static_cast<int>(inputs.size())) {
    return OutputKind::kInput;
  }
  const MadePlan& plan = made[static_cast<size_t>(tensor) - inputs.size()];
  if (plan.place.inputStorage >= 0) {
    return OutputKind::kAliasOfInput;
  }
  if (plan.base >= 0) {
    return OutputKind::kAliasOfIntermediate;
  }
  bool shares = false;
  for (const MadePlan& other : made) {
    if (other.base == tensor) {
      return OutputKind::kBase;
    }
    shares = shares || (&other != &plan && other.place.memory == plan.place.memory);
  }
  return shares ? OutputKind::kSharesMemory : OutputKind::kFresh;
}

std::string ViewAndMutationMetadata::text() const {
  std::string text;
  auto name = [&](int tensor) {
    return tensor < static_cast<int>(inputs.size())
               ? inputs[static_cast<size_t>(tensor)].name
               : fmt::format("made {}", static_cast<size_t>(tensor) - inputs.size());
  };
  if (takesToken) {
    text += "effects: the forward takes a token first, and gives one first\n";
  }
  for (const InputPlan& input : inputs) {
    std::vector<std::string> facts;
    auto fact = [&](bool holds, std::string what) {
      if (holds) {
        facts.push_back(std::move(what));
      }
    };
    fact(input.isHidden, "base of an argument that is a view");
    fact(input.dataMutated, input.mutationHidden ? "data mutated, hidden from autograd" : "data mutated");
    fact(input.storageReplaced, "storage replaced");
    fact(input.moved.has_value() && !input.storageReplaced, "metadata mutated");
    if (input.moved) {
      facts.push_back("becomes " + geometryText(input.moved->geometry));
    }
    fact(input.detached, "detached");
    if (input.requiresGrad) {
      facts.push_back(*input.requiresGrad ? "starts to require grad" : "stops requiring grad");
    }
    fact(input.root >= 0, fmt::format("gradient {} of the backward", input.root));
    text += fmt::format("input {}: {}\n", input.name,
                        facts.empty() ? std::string("only read") : fmt::format("{}", fmt::join(facts, ", ")));
  }
  for (const InputHook& hook : hooks) {
    text += fmt::format(
        "input {}: `{}` runs {}\n", inputs[static_cast<size_t>(hook.input)].name, hook.function,
        hook.kind == evaluator::HookKind::kGradient ? "on its gradient" : "when its gradient is accumulated");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] < 0) {
      continue;
    }
    const OutputKind kind = outputKind(i);
    text += fmt::format("output {}: {}", i, kindText(kind));
    if (kind == OutputKind::kInput) {
      text += " " + name(outputs[i]) + "\n";
      continue;
    }
    const MadePlan& plan = made[static_cast<size_t>(outputs[i]) - inputs.size()];
    text += ", " + geometryText(plan.place.geometry);
    text += plan.base >= 0 ? ", view of " + name(plan.base) + creationText(plan.creation) : "";
    text += plan.isUnsafeView ? ", an unsafe view" : "";
    text += plan.root >= 0 ? fmt::format(", gradient {} of the backward", plan.root) : "";
    text += plan.isLeafWithGrad ? ", a leaf that requires grad" : "";
    text += plan.isInference ? ", inference" : "";
    text += "\n";
  }
  for (size_t i = 0; i < tangents.size(); ++i) {
    text += fmt::format("tangent {}: of {}, {}\n", i, name(roots[i]), geometryText(tangents[i]));
  }
  for (int tensor : wanted) {
    text += fmt::format("backward gives the gradient of {}\n", name(tensor));
  }
  return text;
}

} // namespace touchstone::aot_autograd
