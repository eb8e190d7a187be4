#include "oracles/compare/Comparison.h"

#include "oracles/compare/CompareValues.h"

#include <c10/core/ScalarType.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace touchstone::compare {

namespace {

using language::Property;

bool isExactlyZero(const at::Tensor& values) {
  if (!values.defined()) {
    return false;
  }
  const at::Tensor zeros = values.is_complex() ? values.to(at::kComplexDouble) : values.to(at::kDouble);
  const auto* components = static_cast<const double*>(zeros.const_data_ptr());
  const int64_t count = zeros.numel() * (values.is_complex() ? 2 : 1);
  for (int64_t index = 0; index < count; ++index) {
    if (components[index] != 0) {
      return false; // NaN too
    }
  }
  return true;
}

void comparePresence(const Comparison& comparison, const observe::GradientObservation& eager,
                     const observe::GradientObservation& compiled, CallFindings& findings) {
  const std::string name = eager.leaf.text();
  const auto text = [](const observe::GradientObservation& gradient) {
    return gradient.gradient ? "a tensor" : "None";
  };
  const bool becameZero = !eager.gradient && isExactlyZero(compiled.gradient->values);
  const Difference difference{Property::kGradientPresence, name,
                              fmt::format("{} gradient: eager {}, compiled {}", name, text(eager),
                                          becameZero ? "a tensor of zeros" : text(compiled))};
  if (becameZero && comparison.has(Rule::kA5)) {
    findings.allow(Rule::kA5);
    if (!findings.noneBecameZero) {
      findings.noneBecameZero = difference;
    }
    return;
  }
  findings.differences.push_back(difference);
}

void compareLayout(const Comparison& comparison, const observe::GradientObservation& eager,
                   const observe::GradientObservation& compiled, CallFindings& findings) {
  const observe::TensorObservation &left = *eager.gradient, &right = *compiled.gradient;
  if (left.strides == right.strides) {
    return;
  }
  const bool isAttribute = eager.fromGradAttribute && compiled.fromGradAttribute;
  if (comparison.has(Rule::kA4) && (!isAttribute || !stridesDifferSignificantly(left, right))) {
    return findings.allow(Rule::kA4);
  }
  if (comparison.has(Rule::kA6) && !comparison.strictNumerics && !stridesDifferSignificantly(left, right)) {
    return findings.allow(Rule::kA6);
  }
  const std::string name = eager.leaf.text();
  findings.add(Property::kGradientValues, name,
               fmt::format("{} gradient strides: eager [{}], compiled [{}] (sizes [{}])", name,
                           fmt::join(left.strides, ", "), fmt::join(right.strides, ", "), fmt::join(left.sizes, ", ")));
}

} // namespace

void compareGradients(const Comparison& comparison, const observe::CallObservation& expected, CallFindings& findings) {
  const std::vector<observe::GradientObservation>&eager = expected.gradients, &compiled = comparison.compiled.gradients;
  if (eager.size() != compiled.size()) {
    findings.add(Property::kGradientPresence, "",
                 fmt::format("gradients: eager {}, compiled {}", eager.size(), compiled.size()));
    return;
  }
  for (size_t index = 0; index < eager.size(); ++index) {
    const observe::GradientObservation &left = eager[index], &right = compiled[index];
    const std::string name = left.leaf.text();
    if (left.gradient.has_value() != right.gradient.has_value()) {
      comparePresence(comparison, left, right, findings);
      continue;
    }
    if (!left.gradient) {
      continue;
    }
    const observe::TensorObservation &eagerTensor = *left.gradient, &compiledTensor = *right.gradient;
    if (eagerTensor.dtype != compiledTensor.dtype) {
      findings.add(Property::kGradientValues, name,
                   fmt::format("{} gradient dtype: eager {}, compiled {}", name, c10::toString(eagerTensor.dtype),
                               c10::toString(compiledTensor.dtype)));
    } else if (eagerTensor.sizes != compiledTensor.sizes) {
      findings.add(Property::kGradientValues, name,
                   fmt::format("{} gradient shape: eager [{}], compiled [{}]", name, fmt::join(eagerTensor.sizes, ", "),
                               fmt::join(compiledTensor.sizes, ", ")));
    } else {
      compareValues(comparison, {observe::TensorSlot::Kind::kGradient, static_cast<int>(index)}, left.leaf,
                    Property::kGradientValues, eagerTensor.values, compiledTensor.values, " gradient", findings);
      compareLayout(comparison, left, right, findings);
    }
    if (eagerTensor.requiresGrad != compiledTensor.requiresGrad) {
      findings.add(Property::kGradientValues, name,
                   fmt::format("{} gradient requires_grad: eager {}, compiled {}", name, eagerTensor.requiresGrad,
                               compiledTensor.requiresGrad));
    }
  }
}

} // namespace touchstone::compare
