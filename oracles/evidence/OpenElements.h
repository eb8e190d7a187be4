#pragma once

#include "program/language/Case.h"
#include "oracles/observe/Observation.h"
#include "oracles/observe/TensorSlot.h"
#include "oracles/evidence/Trace.h"

#include <vector>

namespace touchstone::oracles {

/// True when a function uses `tolist()`: it is no operator call, so that nobody sees from where its numbers are.
bool readsLists(const graph::Case& theCase);

/// What each element of an observed tensor is open by, from the traces of the run that was observed; empty: nothing.
/// Gradients: by the roots that the Case goes backward from; `.grad` by those of earlier backwards to the same leaves too.
std::vector<OpenMask> openElements(const graph::Case& theCase, int call, const CallObservation& observed,
                                   const std::vector<CallTrace>& traces, TensorSlot slot);

/// What each element of a tensor is open by, from what the bytes of its storage are open by; empty when nothing is.
std::vector<OpenMask> openElements(const at::Tensor& tensor, const std::vector<OpenMask>& bytes);

} // namespace touchstone::oracles
