#pragma once

#include "graph/program/Case.h"
#include "oracles/EagerReference.h"
#include "oracles/Observation.h"
#include "oracles/Trace.h"

#include <optional>
#include <vector>

namespace touchstone::oracles {

/// The number of the storage of an argument, watched tensor or output.
std::optional<int> storageOf(const CallObservation& call, const Location& location);
/// The observed tensor; null when the call has none there (a whole storage is no tensor).
const TensorObservation* observationAt(const CallObservation& call, TensorSlot slot);

/// What each element of an observed tensor is open by, from the traces of the run that was observed; empty: nothing.
/// Gradients: by the roots that the Case goes backward from, and all calls that share the leaves.
std::vector<OpenMask> openElements(const graph::Case& theCase, int call, const CallObservation& observed,
                                   const std::vector<CallTrace>& traces, TensorSlot slot);

} // namespace touchstone::oracles
