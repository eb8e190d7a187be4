#include "oracles/compare/CompareValues.h"

#include <c10/util/complex.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

namespace touchstone::compare {

namespace {

/// For each component (two of a complex element), whether it is NaN.
std::vector<bool> nanComponents(const at::Tensor& tensor) {
  const at::Tensor wide =
      tensor.is_complex() ? tensor.to(at::kComplexDouble).contiguous() : tensor.to(at::kDouble).contiguous();
  const auto* values = static_cast<const double*>(wide.const_data_ptr());
  std::vector<bool> result(static_cast<size_t>(wide.numel()) * (tensor.is_complex() ? 2 : 1));
  for (size_t component = 0; component < result.size(); ++component) {
    result[component] = std::isnan(values[component]);
  }
  return result;
}

std::string realText(double value, at::ScalarType dtype) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  return dtype == at::kDouble ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

} // namespace

std::vector<int64_t> differingElements(const at::Tensor& eager, const at::Tensor& compiled) {
  std::vector<int64_t> elements;
  const auto* left = static_cast<const char*>(eager.const_data_ptr());
  const auto* right = static_cast<const char*>(compiled.const_data_ptr());
  const size_t bytes = eager.nbytes();
  if (bytes == 0 || left == right || std::memcmp(left, right, bytes) == 0) {
    return elements;
  }

  const bool hasNan = eager.is_floating_point() || eager.is_complex();
  const size_t components = eager.is_complex() ? 2 : 1;
  const size_t size = eager.element_size() / components;
  const std::vector<bool> leftNan = hasNan ? nanComponents(eager) : std::vector<bool>();
  const std::vector<bool> rightNan = hasNan ? nanComponents(compiled) : std::vector<bool>();
  for (int64_t element = 0; element < eager.numel(); ++element) {
    for (size_t part = 0; part < components; ++part) {
      const size_t component = static_cast<size_t>(element) * components + part;
      if (std::memcmp(left + component * size, right + component * size, size) == 0) {
        continue;
      }
      if (hasNan && leftNan[component] && rightNan[component]) {
        continue;
      }
      elements.push_back(element);
      break;
    }
  }
  return elements;
}

std::string positionText(at::IntArrayRef sizes, int64_t element) {
  if (sizes.empty()) {
    return "";
  }
  std::vector<int64_t> position(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    position[dim] = element % sizes[dim];
    element /= sizes[dim];
  }
  return fmt::format("[{}]", fmt::join(position, ", "));
}

std::string elementText(const at::Tensor& tensor, int64_t element) {
  const at::Tensor scalar = tensor.reshape({-1})[element];
  if (tensor.is_complex()) {
    const auto value = scalar.to(at::kComplexDouble).item().toComplexDouble();
    return fmt::format("({}, {}j)", realText(value.real(), at::kDouble), realText(value.imag(), at::kDouble));
  }
  if (tensor.scalar_type() == at::kBool) {
    return scalar.item().toBool() ? "True" : "False";
  }
  if (tensor.is_floating_point()) {
    return realText(scalar.to(at::kDouble).item().toDouble(), tensor.scalar_type());
  }
  return fmt::format("{}", scalar.to(at::kLong).item().toLong());
}

std::string differenceText(const at::Tensor& eager, const at::Tensor& compiled, const std::vector<int64_t>& elements) {
  const int64_t first = elements.front();
  const std::string eagerText = elementText(eager, first), compiledText = elementText(compiled, first);
  return fmt::format("{}: eager {}, compiled {}; {} of {} elements differ", positionText(eager.sizes(), first),
                     eagerText, compiledText, elements.size(), eager.numel());
}

} // namespace touchstone::compare
