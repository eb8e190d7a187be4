#include "backends/faults/NativeFault.h"

#include "graph/ir/Geometry.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <utility>

namespace touchstone::faults {

namespace {

using aot_autograd::ViewAndMutationMetadata;
using backends::CompiledGraph;
using Tensors = std::vector<at::Tensor>;

/// Every output that is meant becomes what is made of it; undefined ones stay so.
CallChange onOutputs(
    std::function<at::Tensor(const at::Tensor& output, size_t position, const Tensors& inputs, const Tensors& outputs)>
        made) {
  return [made = std::move(made)](const CompiledGraph& compiled, Tensors inputs, CallHistory&) {
    const Tensors given = inputs;
    const Tensors outputs = compiled.run(std::move(inputs));
    Tensors changed = outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].defined()) {
        changed[i] = made(outputs[i], i, given, outputs);
      }
    }
    return changed;
  };
}

bool looksLike(const at::Tensor& left, const at::Tensor& right) {
  return left.defined() && right.defined() && left.sizes() == right.sizes() &&
         left.scalar_type() == right.scalar_type();
}

/// Values that are written back to inputs stay where they were where `isMeant` says so of the count of those before.
PlanChange withoutWriteBack(std::function<bool(const aot_autograd::MemoryPlan& memory, size_t before)> isMeant) {
  return [=](ViewAndMutationMetadata& plan) {
    size_t before = 0;
    for (aot_autograd::MemoryPlan& memory : plan.memories) {
      if (memory.inputStorage >= 0 && isMeant(memory, before++)) {
        memory.inputStorage = -1;
      }
    }
  };
}

PlanChange onInputs(std::function<void(aot_autograd::InputPlan& input)> change) {
  return [=](ViewAndMutationMetadata& plan) { std::for_each(plan.inputs.begin(), plan.inputs.end(), change); };
}

PlanChange onMade(std::function<void(aot_autograd::MadePlan& made)> change) {
  return [=](ViewAndMutationMetadata& plan) { std::for_each(plan.made.begin(), plan.made.end(), change); };
}

bool isWhole(const ir::TensorMetadata& layout) {
  return at::isIntegralType(static_cast<at::ScalarType>(layout.dtype.value), /*includeBool=*/true);
}

/// From the call of this number on results are those of the call before, where they look alike and need no gradient.
CallChange staleFrom(int call) {
  return [call](const CompiledGraph& compiled, Tensors inputs, CallHistory& history) {
    Tensors outputs = compiled.run(std::move(inputs));
    const Tensors before = std::exchange(history.kept, outputs);
    for (size_t i = 0; i < outputs.size() && history.calls >= call; ++i) {
      if (i < before.size() && looksLike(before[i], outputs[i]) && !outputs[i].requires_grad()) {
        outputs[i] = before[i];
      }
    }
    return outputs;
  };
}

} // namespace

NativeFaultList runtimeFaults() {
  constexpr FaultClass kClass = FaultClass::kRuntime;
  return {
      {"first_mutation_alone_written_back", kClass, kMetadataStage,
       "of several inputs that were written to the first gets its value", "two inputs are written to",
       withoutWriteBack([](const aot_autograd::MemoryPlan&, size_t before) { return before > 0; })},
      {"mutation_not_written_back", kClass, kMetadataStage, "an input that was written to keeps its value",
       "an input is written to", withoutWriteBack([](const aot_autograd::MemoryPlan&, size_t) { return true; })},
      {"mutation_of_view_not_written_back", kClass, kMetadataStage, "an input that is not contiguous keeps its value",
       "such an input is written to",
       withoutWriteBack([](const aot_autograd::MemoryPlan& memory, size_t) { return !isContiguous(memory.layout); })},
      {"mutation_of_counter_not_written_back", kClass, kMetadataStage, "an input of whole numbers keeps its value",
       "such an input is written to",
       withoutWriteBack([](const aot_autograd::MemoryPlan& memory, size_t) { return isWhole(memory.layout); })},
      {"mutation_of_one_element_not_written_back", kClass, kMetadataStage, "an input of one element keeps its value",
       "such an input is written to", withoutWriteBack([](const aot_autograd::MemoryPlan& memory, size_t) {
         return ir::elementCount(memory.layout) == 1;
       })},
      {"version_not_bumped", kClass, kMetadataStage, "the version of an input that was written to stays",
       "an input is written to", onInputs([](aot_autograd::InputPlan& input) { input.versionBumped = false; })},
      {"switch_of_requires_grad_forgotten", kClass, kMetadataStage,
       "an argument that the Program switches to require grad does not", "requires_grad_() of an argument",
       onInputs([](aot_autograd::InputPlan& input) { input.requiresGrad.reset(); })},
      {"leaf_without_grad", kClass, kMetadataStage, "a leaf that the Program makes does not require grad",
       "requires_grad_() of a new tensor", onMade([](aot_autograd::MadePlan& made) { made.isLeafWithGrad = false; })},
      {"detached_argument_stays_attached", kClass, kMetadataStage, "detach_() of an argument is forgotten",
       "the Program calls it", onInputs([](aot_autograd::InputPlan& input) { input.detached = false; })},
      {"moved_argument_stays", kClass, kMetadataStage, "an argument that gets other sizes or strides keeps its own",
       "t_(), unsqueeze_() or set_() of an argument",
       onInputs([](aot_autograd::InputPlan& input) { input.moved.reset(); })},
      {"hooks_forgotten", kClass, kMetadataStage, "hooks on arguments are not registered", "the Program registers one",
       PlanChange([](ViewAndMutationMetadata& plan) { plan.hooks.clear(); })},
      {"hook_registered_twice", kClass, kMetadataStage, "all hooks on arguments are registered on that of the first",
       "hooks on two arguments", PlanChange([](ViewAndMutationMetadata& plan) {
         for (size_t i = 1; i < plan.hooks.size(); ++i) {
           plan.hooks[i].input = plan.hooks[0].input;
         }
       })},
      {"version_counters_apart", kClass, kMetadataStage, "results in one memory have version counters of their own",
       "two results share memory, one is written to",
       onMade([](aot_autograd::MadePlan& made) { made.counterOf = -1; })},
      {"inference_forgotten", kClass, kMetadataStage, "a result made in inference mode is an ordinary tensor",
       "inference_mode in the Program", onMade([](aot_autograd::MadePlan& made) { made.isInference = false; })},
      {"base_of_view_forgotten", kClass, kMetadataStage, "a result is no differentiable view of its base",
       "a view of another result is written to after the call",
       onMade([](aot_autograd::MadePlan& made) { made.base = -1; })},
      {"last_output_detached", kClass, kMetadataStage, "the last of several results has no gradient",
       "two results, and the last requires grad",
       onOutputs([](const at::Tensor& output, size_t position, const Tensors&, const Tensors& outputs) {
         const bool isMeant = outputs.size() > 1 && position + 1 == outputs.size() && output.requires_grad();
         return isMeant ? output.detach() : output;
       })},
      {"scalar_output_detached", kClass, kMetadataStage, "a result without dimensions has no gradient",
       "it is one of several, and requires grad",
       onOutputs([](const at::Tensor& output, size_t, const Tensors&, const Tensors& outputs) {
         return outputs.size() > 1 && output.dim() == 0 && output.requires_grad() ? output.detach() : output;
       })},
      {"fourth_output_detached", kClass, kMetadataStage, "the fourth result has no gradient", "four results or more",
       onOutputs([](const at::Tensor& output, size_t position, const Tensors&, const Tensors&) {
         return position == 3 && output.requires_grad() ? output.detach() : output;
       })},
      {"outputs_swapped", kClass, kMetadataStage, "the first two results change places",
       "they have the same dtype and sizes",
       CallChange([](const CompiledGraph& compiled, Tensors inputs, CallHistory&) {
         Tensors outputs = compiled.run(std::move(inputs));
         if (outputs.size() > 1 && looksLike(outputs[0], outputs[1])) {
           std::swap(outputs[0], outputs[1]);
         }
         return outputs;
       })},
      {"last_outputs_swapped", kClass, kMetadataStage, "the last two of four results or more change places",
       "they have the same dtype and sizes",
       CallChange([](const CompiledGraph& compiled, Tensors inputs, CallHistory&) {
         Tensors outputs = compiled.run(std::move(inputs));
         const size_t count = outputs.size();
         if (count > 3 && looksLike(outputs[count - 2], outputs[count - 1])) {
           std::swap(outputs[count - 2], outputs[count - 1]);
         }
         return outputs;
       })},
      {"second_call_repeats_first", kClass, kMetadataStage, "a second call gives the results of the first",
       "results without gradient are computed again from other values", staleFrom(1)},
      {"fourth_call_repeats_third", kClass, kMetadataStage,
       "from the fourth call on results are those of the call before", "compiled code is called four times",
       staleFrom(3)},
      {"argument_kept_from_first_call", kClass, kMetadataStage, "small arguments are taken from the first call",
       "an argument of one element has another value in a later call",
       CallChange([](const CompiledGraph& compiled, Tensors inputs, CallHistory& history) {
         if (history.calls == 0) {
           for (const at::Tensor& input : inputs) {
             history.kept.push_back(input.numel() == 1 && !input.requires_grad() ? input.clone() : at::Tensor());
           }
         }
         for (size_t i = 0; i < inputs.size() && i < history.kept.size(); ++i) {
           if (history.kept[i].defined() && looksLike(history.kept[i], inputs[i]) && !inputs[i].requires_grad()) {
             inputs[i] = history.kept[i].clone();
           }
         }
         return compiled.run(std::move(inputs));
       })},
  };
}

} // namespace touchstone::faults
