#pragma once

#include "oracles/taint/TaintedValues.h"
#include "program/operators/OperatorFacts.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace touchstone::taint {

using operators::Choice;

/// In which way an operator leaves its result unspecified (rule A15). By its name without namespace and overload: `scatter_`.
Choice choiceOf(std::string_view name);

/// Which elements of the results one call of the operator leaves unspecified, as masks of kTaintedByChoice (an index of an
/// element that has an equal in its row, a place that is written more than once) and of kTaintedBySign (a zero picked from
/// zeros of both signs, the sign of a NaN). One entry a result, on the CPU; undefined: nothing is tainted. `arguments` in
/// schema order; what is written in place has its new values.
std::vector<at::Tensor> unspecifiedByChoice(const c10::OperatorHandle& op, const std::vector<c10::IValue>& arguments,
                                            const std::vector<at::Tensor>& results);

} // namespace touchstone::taint
