#include "oracles/compare/CompareValues.h"
#include "oracles/compare/Comparison.h"
#include "oracles/compare/ExceptionRules.h"

#include <ATen/ops/full.h>
#include <c10/core/ScalarType.h>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace touchstone::compare {

namespace {

using language::Property;
using values::Value;

bool sameDouble(double left, double right) {
  return std::memcmp(&left, &right, sizeof left) == 0 || (std::isnan(left) && std::isnan(right));
}

std::string valueText(const Value& value) {
  if (const bool* flag = value.maybe<bool>()) {
    return *flag ? "True" : "False";
  }
  if (const int64_t* number = value.maybe<int64_t>()) {
    return fmt::format("{}", *number);
  }
  if (const double* number = value.maybe<double>()) {
    return fmt::format("{}", *number);
  }
  if (const auto* number = value.maybe<std::complex<double>>()) {
    return fmt::format("({}, {}j)", number->real(), number->imag());
  }
  if (const std::string* text = value.maybe<std::string>()) {
    return '"' + *text + '"';
  }
  if (const at::ScalarType* dtype = value.maybe<at::ScalarType>()) {
    return c10::toString(*dtype);
  }
  return value.typeName();
}

/// A7 for a float that the Program returned: the unit is that of float32 where the number fits.
bool withinBound(const Comparison& comparison, size_t index, CallFindings& findings) {
  const double *eager = comparison.eager.nonTensors[index].maybe<double>(),
               *compiled = comparison.compiled.nonTensors[index].maybe<double>();
  if (!eager || !compiled || !comparison.has(Rule::kA7) || !mayRoundForward(comparison.set, comparison.eager.writes) ||
      !comparison.reference) {
    return false;
  }
  if (comparison.reference->exactCall(comparison.call)) {
    return false;
  }
  const auto asTensor = [&](const observe::CallObservation* call) {
    const double* value = call && index < call->nonTensors.size() ? call->nonTensors[index].maybe<double>() : nullptr;
    return value ? at::full({}, *value, at::kDouble) : at::Tensor();
  };
  const auto boundWith = [&](bool decomposed) {
    evidence::RoundingEvidence evidence;
    if (std::abs(*eager) <= std::numeric_limits<float>::max()) {
      evidence.unit = at::kFloat;
    }
    evidence.inDouble = asTensor(comparison.reference->inDouble(comparison.call));
    for (const observe::CallObservation* perturbed : comparison.reference->perturbed(comparison.call, decomposed)) {
      evidence.perturbed.push_back(asTensor(perturbed));
    }
    if (decomposed) {
      evidence.steps = comparison.reference->steps(
          comparison.call, [&](const observe::CallObservation& call) { return asTensor(&call); });
    }
    return evidence::applyBound(at::full({}, *eager, at::kDouble), at::full({}, *compiled, at::kDouble), {0}, evidence);
  };
  const evidence::BoundedElements bounded = boundByNeed(comparison.set, boundWith);
  if (!bounded.beyond.empty()) {
    return false;
  }
  if (!bounded.illConditioned.empty() && !findings.illConditioned) {
    findings.illConditioned = Difference{
        Property::kNonTensor, "", fmt::format("returned number {}: eager {}, compiled {}", index, *eager, *compiled)};
  }
  findings.allow(Rule::kA7);
  return true;
}

/// The number depends on one that was read from tainted elements (A14, A15).
bool isUnspecified(const Comparison& comparison, size_t index, CallFindings& findings) {
  return mayBeUnspecified(comparison) &&
         isExcused(comparison, comparison.reference->taintOfNumber(comparison.call, index), findings);
}

bool sameInPrecision(const at::Tensor& eager, const at::Tensor& inDouble) {
  if (!eager.defined() || !inDouble.defined()) {
    return true;
  }
  if (!eager.is_floating_point() && !eager.is_complex()) {
    return true;
  }
  if (eager.sizes() != inDouble.sizes() || eager.is_complex() != inDouble.is_complex()) {
    return false;
  }
  const at::ScalarType wide = eager.is_complex() ? at::kComplexDouble : at::kDouble;
  const auto sameAs = [&](const at::Tensor& other) {
    return differingElements(eager.to(wide).contiguous(), other.to(wide).contiguous()).empty();
  };
  // What is in double precision already has to be a single one: rounded numbers are not, by all odds.
  const at::ScalarType single = eager.is_complex() ? at::kComplexFloat : at::kFloat;
  return sameAs(eager.scalar_type() == wide ? eager.to(single) : inDouble);
}

} // namespace

bool sameNumber(const Value& left, const Value& right) {
  if (left.payload().index() != right.payload().index() || left.typeName() != right.typeName()) {
    return false;
  }
  return std::visit(
      [&](const auto& value) {
        using Kind = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Kind, double>) {
          return sameDouble(value, right.as<double>());
        } else if constexpr (std::is_same_v<Kind, std::complex<double>>) {
          const auto& other = right.as<std::complex<double>>();
          return sameDouble(value.real(), other.real()) && sameDouble(value.imag(), other.imag());
        } else if constexpr (std::is_same_v<Kind, bool> || std::is_same_v<Kind, int64_t> ||
                             std::is_same_v<Kind, std::string> || std::is_same_v<Kind, at::ScalarType> ||
                             std::is_same_v<Kind, at::Device> || std::is_same_v<Kind, at::Layout> ||
                             std::is_same_v<Kind, at::MemoryFormat>) {
          return value == right.as<Kind>();
        } else {
          return true; // None, and containers, whose leaves are compared one by one
        }
      },
      left.payload());
}

void compareNonTensors(const Comparison& comparison, CallFindings& findings) {
  const std::vector<Value>&eager = comparison.eager.nonTensors, &compiled = comparison.compiled.nonTensors;
  if (eager.size() == compiled.size()) {
    for (size_t index = 0; index < eager.size(); ++index) {
      if (sameNumber(eager[index], compiled[index]) || withinBound(comparison, index, findings) ||
          isUnspecified(comparison, index, findings)) {
        continue;
      }
      findings.add(Property::kNonTensor, "",
                   fmt::format("value {} returned besides tensors: eager {} ({}), compiled {} ({})", index,
                               valueText(eager[index]), eager[index].typeName(), valueText(compiled[index]),
                               compiled[index].typeName()));
    }
  }
  if (comparison.eager.state != comparison.compiled.state) {
    findings.add(
        Property::kState, "",
        fmt::format("state after the call: eager {}, compiled {}", comparison.eager.state, comparison.compiled.state));
  }
}

CallFindings compareCall(const Comparison& comparison) {
  CallFindings findings;
  compareOutputs(comparison, findings);
  compareInputs(comparison, findings);
  compareAliasing(comparison, findings);
  if (!comparison.eager.backwardException && !comparison.compiled.backwardException) {
    compareGradients(comparison, comparison.eager, findings);
    compareAfterBackward(comparison, findings);
  }
  compareNonTensors(comparison, findings);
  return findings;
}

Instability instability(const language::Case& theCase, int call, const observe::CaseObservation& first,
                        const observe::CaseObservation& second) {
  const auto index = static_cast<size_t>(call);
  const observe::CallObservation &left = first.calls.at(index), &right = second.calls.at(index);
  const auto differs = [](const std::optional<observe::ExceptionObservation>& one,
                          const std::optional<observe::ExceptionObservation>& other) {
    if (one.has_value() != other.has_value()) {
      return true;
    }
    return one && normalizedClass(one->type) != normalizedClass(other->type);
  };
  Instability result;
  result.exceptions =
      differs(left.exception, right.exception) || differs(left.backwardException, right.backwardException);
  if (result.exceptions) {
    return result;
  }
  const Comparison comparison{theCase, call, left, right, {}, ir::RuleSet::kReference, nullptr, nullptr};
  CallFindings findings;
  if (left.exception) {
    compareInputsAfterRaise(comparison, findings);
  } else {
    findings = compareCall(comparison);
    if (left.backwardException) {
      compareInputsAfterBackward(comparison, findings);
    }
  }
  for (const Difference& difference : findings.differences) {
    result.differences.emplace(difference.property, difference.where);
  }
  return result;
}

bool sameInDouble(const observe::CallObservation& eager, const observe::CallObservation& inDouble) {
  const auto same = [&](observe::TensorSlot::Kind kind, size_t count) {
    for (size_t index = 0; index < count; ++index) {
      const observe::TensorSlot slot{kind, static_cast<int>(index)};
      if (!sameInPrecision(observe::valuesAt(eager, slot), observe::valuesAt(inDouble, slot))) {
        return false;
      }
    }
    return true;
  };
  return same(observe::TensorSlot::Kind::kOutput, eager.outputs.size()) &&
         same(observe::TensorSlot::Kind::kArgument, eager.arguments.size()) &&
         same(observe::TensorSlot::Kind::kWatched, eager.watched.size()) &&
         same(observe::TensorSlot::Kind::kGradient, eager.gradients.size());
}

} // namespace touchstone::compare
