#pragma once

#include "oracles/evidence/Trace.h"
#include "oracles/observe/Observation.h"
#include "oracles/observe/TensorSlot.h"
#include "program/language/Case.h"

#include <vector>

namespace touchstone::evidence {

/// True when a function uses `tolist()`: it is no operator call, so that nobody sees from where its numbers are.
bool readsLists(const language::Case& theCase);

/// What each element of an observed tensor is tainted by, from the traces of the run that was observed; empty: nothing.
/// Gradients: by the roots that the Case goes backward from; `.grad` by those of earlier backwards to the same leaves too.
std::vector<taint::TaintMask> taintedElements(const language::Case& theCase, int call,
                                              const observe::CallObservation& observed,
                                              const std::vector<CallTrace>& traces, observe::TensorSlot slot);

/// What each element of a tensor is tainted by, from what the bytes of its storage are tainted by; empty when nothing is.
std::vector<taint::TaintMask> taintedElements(const at::Tensor& tensor, const std::vector<taint::TaintMask>& bytes);

} // namespace touchstone::evidence
