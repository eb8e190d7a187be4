#include "oracles/observe/TensorSlot.h"

namespace touchstone::observe {

namespace {

/// The last that was found by then; `first` where it has not changed.
at::Tensor lookedAtAgain(const CallObservation& call, TensorSlot slot, LaterChange::Of of, at::Tensor first) {
  for (const LaterChange& change : call.changes) {
    if (change.of == of && change.index == slot.index && change.after <= slot.after) {
      first = change.values;
    }
  }
  return first;
}

} // namespace

TensorSlot slotAt(const LaterChange& change) {
  const auto late = [&](TensorSlot::Kind kind) { return TensorSlot{kind, change.index, change.after}; };
  switch (change.of) {
    case LaterChange::Of::kOutput: return late(TensorSlot::Kind::kLateOutput);
    case LaterChange::Of::kGradient: return late(TensorSlot::Kind::kLateGradient);
    case LaterChange::Of::kTangent: return late(TensorSlot::Kind::kTangent);
    case LaterChange::Of::kArgument: return late(TensorSlot::Kind::kLateArgument);
    case LaterChange::Of::kWatched: break;
  }
  return late(TensorSlot::Kind::kLateWatched);
}

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
    case TensorSlot::Kind::kStorage:
      return index < call.inputStorages.size() ? call.inputStorages[index] : at::Tensor();
    case TensorSlot::Kind::kGradient:
      return index < call.gradients.size() && call.gradients[index].gradient ? call.gradients[index].gradient->values
                                                                             : at::Tensor();
    case TensorSlot::Kind::kLateOutput:
      return lookedAtAgain(call, slot, LaterChange::Of::kOutput,
                           valuesAt(call, {TensorSlot::Kind::kOutput, slot.index}));
    case TensorSlot::Kind::kLateGradient:
      return lookedAtAgain(call, slot, LaterChange::Of::kGradient,
                           valuesAt(call, {TensorSlot::Kind::kGradient, slot.index}));
    case TensorSlot::Kind::kTangent:
      return lookedAtAgain(call, slot, LaterChange::Of::kTangent,
                           index < call.tangents.size() ? call.tangents[index] : at::Tensor());
    case TensorSlot::Kind::kLateArgument:
      return lookedAtAgain(call, slot, LaterChange::Of::kArgument, from(call.arguments));
    case TensorSlot::Kind::kLateWatched:
      return lookedAtAgain(call, slot, LaterChange::Of::kWatched, from(call.watched));
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
    case TensorSlot::Kind::kArgument:
    case TensorSlot::Kind::kLateArgument: return from(call.arguments);
    case TensorSlot::Kind::kWatched:
    case TensorSlot::Kind::kLateWatched: return from(call.watched);
    case TensorSlot::Kind::kGradient:
    case TensorSlot::Kind::kLateGradient:
      return index < call.gradients.size() && call.gradients[index].gradient ? &*call.gradients[index].gradient
                                                                             : nullptr;
    case TensorSlot::Kind::kTangent:
    case TensorSlot::Kind::kStorage: break;
  }
  return nullptr;
}

} // namespace touchstone::observe
