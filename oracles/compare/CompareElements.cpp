#include "oracles/compare/CompareValues.h"
#include "oracles/compare/Comparison.h"
#include "oracles/evidence/RoundingBound.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/sub.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace touchstone::compare {

namespace {

using language::Property;

/// Takes out of `differing` what A14 and A15 leave unspecified.
void removeUnspecified(const Comparison& comparison, observe::TensorSlot slot, std::vector<int64_t>& differing,
                       CallFindings& findings) {
  if (!mayBeUnspecified(comparison)) {
    return;
  }
  const std::vector<taint::TaintMask> masks = comparison.reference->taintOf(comparison.call, slot);
  std::erase_if(differing, [&](int64_t element) {
    const auto index = static_cast<size_t>(element);
    return index < masks.size() && isExcused(comparison, masks[index], findings);
  });
}

/// Takes out of `differing` the zeros that differ in their sign alone.
void removeSignsOfZeros(const at::Tensor& eager, const at::Tensor& compiled, std::vector<int64_t>& differing) {
  const at::Tensor equal = at::eq(eager, compiled).contiguous();
  const auto* isEqual = equal.const_data_ptr<bool>();
  std::erase_if(differing, [&](int64_t element) { return isEqual[element]; });
}

/// Why the values of one side cannot be compared; empty: they can.
std::string unreadable(const observe::CallObservation& call, observe::TensorSlot slot, const at::Tensor& values) {
  if (values.defined()) {
    return "";
  }
  const observe::TensorObservation* tensor = observe::observationAt(call, slot);
  return tensor && !tensor->valuesError.empty() ? "cannot be read (" + tensor->valuesError + ")" : "cannot be read";
}

/// Eager's gradient is the compiled one where its operators get contiguous gradients: a kernel of eager's reads others
/// wrongly. Not where hooks or custom functions see how a gradient is laid out.
bool isByLayout(const Comparison& comparison, observe::TensorSlot slot, const at::Tensor& eager,
                const at::Tensor& compiled, const std::vector<int64_t>& differing) {
  if (!comparison.reference || !comparison.has(Rule::kA7) || comparison.theCase.hasCustomCode() ||
      comparison.theCase.mentions("hook")) {
    return false;
  }
  const at::Tensor contiguous = observe::valuesAt(comparison.reference->withContiguousGradients(comparison.call), slot);
  if (!contiguous.defined() || contiguous.scalar_type() != eager.scalar_type() || contiguous.sizes() != eager.sizes()) {
    return false;
  }
  evidence::RoundingEvidence evidence =
      comparison.reference->evidence(comparison.call, slot, mayDecompose(comparison.set));
  if (evidence::applyBound(eager, contiguous, differing, evidence).allWithin()) {
    return false;
  }
  // As far from the contiguous run as rounding leads from eager's own. In double precision its kernel may be right.
  evidence.inDouble = at::Tensor();
  evidence.reordered.clear();
  return evidence::applyBound(eager, at::add(eager, at::sub(compiled, contiguous)), differing, evidence).allWithin();
}

/// What comes of elements of a gradient by how its parts round as well: large ones may cancel before small ones are added, or
/// swallow these, as the order is, however the inputs are perturbed.
evidence::BoundedElements boundOfSums(const Comparison& comparison, observe::TensorSlot slot, const at::Tensor& eager,
                                      const at::Tensor& compiled, const std::vector<int64_t>& differing) {
  evidence::RoundingEvidence evidence = comparison.reference->evidence(comparison.call, slot);
  evidence.steps = comparison.reference->steps(
      comparison.call, [slot](const observe::CallObservation& each) { return observe::valuesAt(each, slot); });
  return evidence::applyBound(eager, compiled, differing, evidence);
}

/// The compiled side left roundings to float16 or bfloat16 out: wherever it differs, it has what the run in double precision
/// gives, or is nearer to that by a factor of 8 than eager.
bool isWithoutHalf(const Comparison& comparison, observe::TensorSlot slot, const at::Tensor& eager,
                   const at::Tensor& compiled, const std::vector<int64_t>& differing) {
  const observe::CallObservation* inDouble = comparison.reference->inDouble(comparison.call);
  const at::Tensor precise = inDouble ? observe::valuesAt(*inDouble, slot) : at::Tensor();
  if (!precise.defined() || precise.sizes() != compiled.sizes() ||
      !comparison.reference->isHalfway(comparison.call, slot)) {
    return false;
  }
  const auto distance = [&](const at::Tensor& values) { return (values.to(precise.scalar_type()) - precise).abs(); };
  const at::Tensor isUnrounded =
      ((compiled == precise.to(compiled.scalar_type())) | (distance(compiled) * 8 <= distance(eager))).contiguous();
  const auto* isUnroundedAt = isUnrounded.const_data_ptr<bool>();
  return std::ranges::all_of(differing, [&](int64_t each) { return isUnroundedAt[each]; });
}

} // namespace

evidence::BoundedElements boundByNeed(ir::RuleSet set,
                                      const std::function<evidence::BoundedElements(bool decomposed)>& boundWith) {
  evidence::BoundedElements bounded = boundWith(false);
  return bounded.allWithin() || !mayDecompose(set) ? bounded : boundWith(true); // a score of runs more
}

bool mayBeUnspecified(const Comparison& comparison) {
  return comparison.reference &&
         (comparison.has(Rule::kA15) || (comparison.has(Rule::kA14) && comparison.reference->writesOverlap()));
}

std::optional<Rule> excusing(const Comparison& comparison, taint::TaintMask mask) {
  if (comparison.has(Rule::kA14) && (mask & taint::kTaintedByOverlap)) {
    return Rule::kA14;
  }
  const auto byChoice =
      static_cast<taint::TaintMask>(taint::kTaintedByChoice | (comparison.strictNumerics ? 0 : taint::kTaintedBySign));
  return comparison.has(Rule::kA15) && (mask & byChoice) ? std::optional<Rule>(Rule::kA15) : std::nullopt;
}

bool isExcused(const Comparison& comparison, taint::TaintMask mask, CallFindings& findings) {
  const std::optional<Rule> rule = excusing(comparison, mask);
  if (rule) {
    findings.allow(*rule);
  }
  return rule.has_value();
}

/// Some output that requires grad has no gradient in the backward, so that compiled code gets zeros for it: of the call's own
/// outputs those that are no root, of the call before, where its outputs are fed to this one, those that are not.
bool addsZeros(const Comparison& comparison) {
  const auto spec = [&](int call) -> const language::CallSpec& {
    return comparison.theCase.calls.at(static_cast<size_t>(call));
  };
  if (!materializesZeros(comparison.set) || comparison.strictNumerics || !spec(comparison.call).backward) {
    return false;
  }
  std::vector<int> reached; // outputs that have a gradient
  for (const language::BackwardRoot& root : *spec(comparison.call).backward) {
    if (!root.isArgument) {
      reached.push_back(root.index);
    }
  }
  for (int call = comparison.call;; --call) {
    const observe::CallObservation& eager =
        call == comparison.call ? comparison.eager : comparison.reference->first().calls.at(static_cast<size_t>(call));
    for (size_t output = 0; output < eager.outputs.size(); ++output) {
      const bool isReached = std::find(reached.begin(), reached.end(), static_cast<int>(output)) != reached.end();
      if (eager.outputs[output].requiresGrad && !isReached) {
        return true;
      }
    }
    if (call == 0 || spec(call).feed.empty() || !comparison.reference) {
      return false;
    }
    reached.clear();
    std::transform(spec(call).feed.begin(), spec(call).feed.end(), std::back_inserter(reached),
                   [](const language::FedArgument& fed) { return fed.output; });
  }
}

void compareValues(const Comparison& comparison, observe::TensorSlot slot, const observe::Location& where,
                   Property property, const at::Tensor& eager, const at::Tensor& compiled, const std::string& note,
                   CallFindings& findings) {
  if (!eager.defined() && !compiled.defined()) {
    return;
  }
  if (!eager.defined() || !compiled.defined()) {
    const std::string left = unreadable(comparison.eager, slot, eager),
                      right = unreadable(comparison.compiled, slot, compiled);
    findings.add(property, where.text(),
                 fmt::format("{}{} values: eager {}, compiled {}", where.text(), note,
                             left.empty() ? "can be read" : left, right.empty() ? "can be read" : right));
    return;
  }
  if (eager.scalar_type() != compiled.scalar_type() || eager.sizes() != compiled.sizes()) {
    findings.add(property, where.text(),
                 fmt::format("{}{} values: eager {} of {} elements, compiled {} of {} elements", where.text(), note,
                             c10::toString(eager.scalar_type()), eager.numel(), c10::toString(compiled.scalar_type()),
                             compiled.numel()));
    return;
  }
  std::vector<int64_t> differing = differingElements(eager, compiled);
  if (differing.empty()) {
    return;
  }
  removeUnspecified(comparison, slot, differing, findings);
  if (differing.empty()) {
    return;
  }

  using Kind = observe::TensorSlot::Kind;
  const bool gradient = slot.kind == Kind::kGradient || slot.kind == Kind::kLateGradient ||
                        slot.kind == Kind::kTangent || slot.kind == Kind::kLateArgument ||
                        slot.kind == Kind::kLateWatched;
  if (gradient && (multipliesByMasks(comparison.set) || addsZeros(comparison))) {
    removeSignsOfZeros(eager, compiled, differing);
    if (differing.empty()) {
      findings.allow(Rule::kA7);
      return;
    }
  }
  const bool mayRound = comparison.has(Rule::kA7) && comparison.reference &&
                        (gradient || mayRoundForward(comparison.set, comparison.eager.writes));
  const auto message = [&](const std::vector<int64_t>& elements) {
    return where.text() + note + differenceText(eager, compiled, elements);
  };
  if (mayRound && !comparison.reference->exactCall(comparison.call)) {
    const auto boundWith = [&](bool decomposed) {
      return evidence::applyBound(eager, compiled, differing,
                                  comparison.reference->evidence(comparison.call, slot, decomposed));
    };
    evidence::BoundedElements bounded = boundByNeed(comparison.set, boundWith);
    if (gradient && !bounded.beyond.empty() && !mayDecompose(comparison.set)) {
      // As a whole: what comes out ill-conditioned by zeros that are perturbed is not excused.
      if (evidence::BoundedElements bySums = boundOfSums(comparison, slot, eager, compiled, differing);
          bySums.allWithin()) {
        bounded = std::move(bySums);
      }
    }
    if (bounded.allWithin() && comparison.strictNumerics &&
        isWithoutHalf(comparison, slot, eager, compiled, differing)) {
      findings.add(Property::kPrecision, where.text(), message(differing) + ", as without rounding to half precision");
      return;
    }
    if (bounded.allWithin()) {
      findings.allow(Rule::kA7);
    }
    if (bounded.beyond.empty() && !bounded.illConditioned.empty() && !findings.illConditioned) {
      findings.illConditioned = Difference{property, where.text(), message(bounded.illConditioned)};
    }
    differing = bounded.beyond;
  }
  if (gradient && !differing.empty() && isByLayout(comparison, slot, eager, compiled, differing)) {
    if (!findings.byLayout) {
      findings.byLayout = Difference{property, where.text(), message(differing)};
    }
    return;
  }
  if (!differing.empty()) {
    findings.add(property, where.text(), message(differing));
  }
}

} // namespace touchstone::compare
