#include "oracles/observe/TensorSlot.h"

namespace touchstone::observe {

TensorSlot slotAt(const Location& location) {
  const auto kind = location.role == Location::Role::kOutput     ? TensorSlot::Kind::kOutput
                    : location.role == Location::Role::kArgument ? TensorSlot::Kind::kArgument
                                                                 : TensorSlot::Kind::kWatched;
  return {kind, location.index};
}

at::Tensor valuesAt(const CallObservation& call, TensorSlot slot) {
  const auto index = static_cast<size_t>(slot.index);
  const auto from = [&](const std::vector<TensorObservation>& list) {
    return index < list.size() ? list[index].values : at::Tensor();
  };
  switch (slot.kind) {
    case TensorSlot::Kind::kOutput: return from(call.outputs);
    case TensorSlot::Kind::kArgument: return from(call.arguments);
    case TensorSlot::Kind::kWatched: return from(call.watched);
    case TensorSlot::Kind::kLateOutput: return index < call.lateOutputs.size() ? call.lateOutputs[index] : at::Tensor();
    case TensorSlot::Kind::kStorage:
      return index < call.inputStorages.size() ? call.inputStorages[index] : at::Tensor();
    case TensorSlot::Kind::kGradient:
      return index < call.gradients.size() && call.gradients[index].gradient ? call.gradients[index].gradient->values
                                                                             : at::Tensor();
  }
  return {};
}

std::optional<int> storageOf(const CallObservation& call, const Location& location) {
  for (const StorageMember& member : call.partition) {
    if (member.location == location) {
      return member.storage;
    }
  }
  return std::nullopt;
}

const TensorObservation* observationAt(const CallObservation& call, TensorSlot slot) {
  const auto index = static_cast<size_t>(slot.index);
  const auto from = [&](const std::vector<TensorObservation>& list) {
    return index < list.size() ? &list[index] : nullptr;
  };
  switch (slot.kind) {
    case TensorSlot::Kind::kOutput:
    case TensorSlot::Kind::kLateOutput: return from(call.outputs);
    case TensorSlot::Kind::kArgument: return from(call.arguments);
    case TensorSlot::Kind::kWatched: return from(call.watched);
    case TensorSlot::Kind::kGradient:
      return index < call.gradients.size() && call.gradients[index].gradient ? &*call.gradients[index].gradient
                                                                             : nullptr;
    case TensorSlot::Kind::kStorage: break;
  }
  return nullptr;
}

} // namespace touchstone::observe
