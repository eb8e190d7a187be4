#pragma once

#include "graph/ir/BackendInfo.h"
#include "oracles/compare/EagerReference.h"
#include "oracles/compare/Rules.h"
#include "oracles/compare/Verdict.h"
#include "oracles/evidence/RoundingBound.h"
#include "oracles/observe/Observation.h"
#include "program/language/Case.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::compare {

/// All that comparing one call brought to light.
struct CallFindings {
  std::vector<Difference> differences;
  Rules allowed; // rules that excused a difference
  /// Eager's own kernels give what the compiled side gives where gradients are contiguous.
  std::optional<Difference> byLayout;
  std::optional<Difference> illConditioned; // differs, but rounding decides (A7)
  std::optional<Difference> noneBecameZero; // A5

  void add(language::Property property, std::string where, std::string message) {
    differences.push_back({property, std::move(where), std::move(message)});
  }
  void allow(Rule rule) { allowed.set(static_cast<size_t>(rule)); }
};

/// What is compared with what, and by which rules.
struct Comparison {
  const language::Case& theCase;
  int call = 0;
  const observe::CallObservation& eager;
  const observe::CallObservation& compiled;
  Rules rules;
  ir::RuleSet set = ir::RuleSet::kReference;
  const EagerReference* reference = nullptr; // null: no evidence for A1, A7, A14 and A15; they excuse nothing
  /// Whether `aot_eager` has eager's strides on this call (second half of A6); none: not known.
  std::function<std::optional<bool>(int call)> baseHasEagerStrides;
  /// False: the forward of a later call with the same objects raised, so that what it did to outputs of this one is another matter.
  bool looksAgain = true;
  /// False: the same, or the backward of one did; it has reached some leaves, and not others.
  bool gradientsLookAgain = true;
  bool brokeGraphs = false; // the Program is compiled in parts
  bool strictNumerics = false; // see JudgeOptions

  bool has(Rule rule) const { return compare::has(rules, rule); }
};

/// Structure, and every tensor that was returned: values, dtype, shape, strides, offset, autograd state.
void compareOutputs(const Comparison& comparison, CallFindings& findings);
/// Arguments and watched tensors after the call, versions, and the bytes of their storages.
void compareInputs(const Comparison& comparison, CallFindings& findings);
/// Inputs after a call in which both sides raised (A17).
void compareInputsAfterRaise(const Comparison& comparison, CallFindings& findings);
/// Identity, partition into storages, effects of writes.
void compareAliasing(const Comparison& comparison, CallFindings& findings);
/// Presence, values and layout of gradients; `expected` stands for eager's (A16: those of the call without the change).
void compareGradients(const Comparison& comparison, const observe::CallObservation& expected, CallFindings& findings);
/// The values of one tensor of the call each time that it was looked at again and had changed on either side, up to the first time
/// that they differ.
void compareLaterLooks(const Comparison& comparison, observe::LaterChange::Of of, int index,
                       const observe::Location& where, language::Property property, CallFindings& findings);
/// Gradients and inputs, where they have not differed at once, and the caller's tangents when looked at again.
void compareAfterBackward(const Comparison& comparison, CallFindings& findings);
/// Of that, inputs alone: behind a backward that raised on both sides. A call that takes the same objects again goes on with `.grad`s
/// that may not be alike, so nothing is compared before one.
void compareInputsAfterBackward(const Comparison& comparison, CallFindings& findings);
/// Sizes, numbers and strings that the Program returned, and the process-wide state afterwards.
void compareNonTensors(const Comparison& comparison, CallFindings& findings);

/// What comes of elements by the evidence that is cheap and, under rules of backends that decompose, where that
/// does not do, by all: `boundWith` is given whether it is to go by the runs that are evidence for such backends alone.
evidence::BoundedElements boundByNeed(ir::RuleSet set,
                                      const std::function<evidence::BoundedElements(bool decomposed)>& boundWith);

/// Values of one tensor, bit for bit or within the bound of A7. Values that one side alone can read, or of other sizes,
/// differ.
void compareValues(const Comparison& comparison, observe::TensorSlot slot, const observe::Location& where,
                   language::Property property, const at::Tensor& eager, const at::Tensor& compiled,
                   const std::string& note, CallFindings& findings);

/// False: no value of the Case is left unspecified by A14 or A15 (a cheap test before the values are looked at one by one).
bool mayBeUnspecified(const Comparison& comparison);
/// The rule that applies and leaves a value with this taint unspecified (A14, A15); none: it is to be compared.
std::optional<Rule> excusing(const Comparison& comparison, taint::TaintMask mask);
/// True when there is such a rule; counts it.
bool isExcused(const Comparison& comparison, taint::TaintMask mask, CallFindings& findings);
/// Bit for bit; NaNs are equal, other types never.
bool sameNumber(const values::Value& eager, const values::Value& compiled);

/// All of the above for a call in which neither side raised; backward included unless one of them raised there.
CallFindings compareCall(const Comparison& comparison);

/// True when strides differ in a dimension that matters: size above 1 in a tensor of more than one element (A6).
bool stridesDifferSignificantly(const observe::TensorObservation& eager, const observe::TensorObservation& compiled);

/// What two runs of eager differ in, with no rule applied.
Instability instability(const language::Case& theCase, int call, const observe::CaseObservation& first,
                        const observe::CaseObservation& second);

/// True when every floating value of the call is the same number in double precision, and those that are in double
/// precision already fit into single: no rounding took place.
bool sameInDouble(const observe::CallObservation& eager, const observe::CallObservation& inDouble);

/// True when flattened output `index` is returned by writing the name of a parameter that is never assigned (A12).
bool returnsParameter(const language::Case& theCase, const std::string& structure, int index);

} // namespace touchstone::compare
