#pragma once

#include "oracles/observe/Observation.h"

#include <optional>

namespace touchstone::observe {

/// One tensor of a CallObservation.
struct TensorSlot {
  enum class Kind {
    kOutput,
    kArgument,
    kWatched,
    kStorage,
    kGradient,
    kLateOutput,
    kLateGradient,
    kTangent,
    kLateArgument,
    kLateWatched,
  };
  Kind kind = Kind::kOutput;
  int index = 0;
  int after = 0; // of the last five: as it was looked at after this call
};

/// Where a later look found a change.
TensorSlot slotAt(const LaterChange& change);

/// That of an output, argument or watched tensor.
TensorSlot slotAt(const Location& location);
/// Its values; undefined when the call has no such tensor.
at::Tensor valuesAt(const CallObservation& call, TensorSlot slot);
/// All of it; null when the call has none there (a whole storage is no tensor).
const TensorObservation* observationAt(const CallObservation& call, TensorSlot slot);
/// The number of the storage of an argument, watched tensor or output.
std::optional<int> storageOf(const CallObservation& call, const Location& location);

} // namespace touchstone::observe
