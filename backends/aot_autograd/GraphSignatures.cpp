#include "backends/aot_autograd/GraphSignatures.h"

namespace touchstone::aot_autograd {

using ir::GraphSignature;
using ir::ValuePlace;

namespace {

ValuePlace placeOf(const ViewAndMutationMetadata& plan, int tensor) {
  ValuePlace place;
  if (tensor < static_cast<int>(plan.inputs.size())) {
    place.input = tensor;
    return place;
  }
  const PlacePlan& made = plan.made[static_cast<size_t>(tensor) - plan.inputs.size()].place;
  if (made.inputStorage >= 0) {
    place.input = plan.inputStorages[static_cast<size_t>(made.inputStorage)].firstInput;
  } else {
    place.output = made.memory + (plan.takesToken ? 1 : 0);
    place.layout = plan.memories[static_cast<size_t>(made.memory)].layout;
  }
  place.geometry = made.geometry;
  return place;
}

/// It is differentiable, itself or through what it is a view of.
bool requiresGrad(const ViewAndMutationMetadata& plan, const GraphSignature& signature, int tensor) {
  if (tensor < static_cast<int>(plan.inputs.size())) {
    const InputPlan& input = plan.inputs[static_cast<size_t>(tensor)];
    return input.root >= 0 || input.requiresGrad.value_or(signature.inputs[static_cast<size_t>(tensor)].requiresGrad);
  }
  const MadePlan& made = plan.made[static_cast<size_t>(tensor) - plan.inputs.size()];
  return made.root >= 0 || made.isLeafWithGrad ||
         (made.base >= 0 && made.creation != torch::autograd::CreationMeta::NO_GRAD_MODE &&
          requiresGrad(plan, signature, made.base));
}

ir::OutputClass classOf(OutputKind kind) {
  switch (kind) {
    case OutputKind::kInput: return ir::OutputClass::kInput;
    case OutputKind::kAliasOfInput: return ir::OutputClass::kAliasOfInput;
    case OutputKind::kAliasOfIntermediate: return ir::OutputClass::kAliasOfIntermediate;
    case OutputKind::kBase:
    case OutputKind::kSharesMemory:
    case OutputKind::kFresh: break;
  }
  return ir::OutputClass::kFresh;
}

} // namespace

GraphSignature signatureOf(const ViewAndMutationMetadata& plan, const TracedArguments& arguments,
                           const ir::Graph& forward) {
  GraphSignature signature;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const InputPlan& input = plan.inputs[i];
    const TracedInput& traced = arguments.inputs[i];
    signature.inputs.push_back({input.name, traced.requiresGrad, input.dataMutated, input.mutationHidden,
                                input.moved.has_value() || input.storageReplaced, traced.storage, traced.geometry,
                                traced.otherNames, traced.base});
  }
  const size_t tokens = plan.takesToken ? 1 : 0;
  signature.takes.resize(tokens);
  for (size_t i = 0; i < plan.inputStorages.size(); ++i) {
    GraphSignature::Taken taken{plan.inputStorages[i].firstInput, std::nullopt};
    if (plan.inputStorages[i].isFlat) {
      taken.geometry = forward.node(forward.placeholders().at(tokens + i)).metadata;
    }
    signature.takes.push_back(std::move(taken));
  }
  for (size_t i = 0; i < plan.memories.size(); ++i) {
    const MemoryPlan& memory = plan.memories[i];
    if (memory.inputStorage >= 0 && !plan.inputStorages[static_cast<size_t>(memory.inputStorage)].isWrittenByGraph) {
      ValuePlace value;
      value.output = static_cast<int>(tokens + i);
      signature.written.push_back(
          {plan.inputStorages[static_cast<size_t>(memory.inputStorage)].firstInput, std::move(value), memory.layout});
    }
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const int tensor = plan.outputs[i];
    if (tensor < 0) {
      continue; // None
    }
    GraphSignature::Output output{classOf(plan.outputKind(i)), requiresGrad(plan, signature, tensor),
                                  placeOf(plan, tensor)};
    output.isPiece = tensor >= static_cast<int>(plan.inputs.size()) &&
                     plan.made[static_cast<size_t>(tensor) - plan.inputs.size()].creation ==
                         torch::autograd::CreationMeta::MULTI_OUTPUT_NODE;
    signature.outputs.push_back(std::move(output));
  }
  return signature;
}

GraphSignature::Backward backwardSignature(const ViewAndMutationMetadata& plan, const std::string& stage,
                                           const std::vector<size_t>& saved, const FunctionalBackward& recorded) {
  const std::vector<ir::NodeId>& tangents = recorded.recorded.tangents;
  GraphSignature::Backward backward;
  backward.stage = stage;
  for (size_t position : saved) {
    backward.takes.push_back(
        {static_cast<int>((plan.takesToken ? 1 : 0) + plan.memories.size() + position), std::nullopt});
  }
  for (size_t root = 0; root < tangents.size(); ++root) {
    if (tangents[root] >= 0) {
      backward.takes.push_back({-1, placeOf(plan, plan.roots[root])});
    }
  }
  for (const WrittenInput& written : recorded.writtenInputs) {
    backward.takes.push_back({.memoryOf = plan.inputStorages[written.storage].firstInput});
  }
  if (recorded.takesToken) {
    backward.takes.emplace_back();
  }
  for (int tensor : plan.wanted) {
    backward.gradients.push_back(tensor < static_cast<int>(plan.inputs.size()) ? tensor : -1);
  }
  return backward;
}

} // namespace touchstone::aot_autograd
