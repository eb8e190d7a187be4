#include "backends/decompositions/Precision.h"

#include "backends/decompositions/DecompositionTable.h"

#include <ATen/OpMathType.h>
#include <ATen/native/TypeProperties.h>

namespace touchstone::decompositions {

void requireReal(const at::Tensor& tensor) {
  if (tensor.is_complex()) {
    throw NotDecomposed("of complex numbers");
  }
}

void requireOwnGelu(const at::Tensor& self, c10::string_view approximate) {
  if (approximate == "none" && (self.scalar_type() == at::kFloat || self.scalar_type() == at::kBFloat16)) {
    throw NotDecomposed("by another library");
  }
}

at::Tensor widened(const at::Tensor& tensor) {
  return tensor.to(at::toOpMathType(tensor.scalar_type()));
}

bool isGiven(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() && tensor->defined();
}

at::ScalarType dtypeOfStatistics(const at::Tensor& input,
                                 std::initializer_list<const std::optional<at::Tensor>*> parameters) {
  for (const auto* parameter : parameters) {
    if (isGiven(*parameter)) {
      return (*parameter)->scalar_type();
    }
  }
  return input.scalar_type();
}

Widened::Widened(std::initializer_list<at::Tensor> tensors) {
  at::native::ResultTypeState state = {};
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined()) {
      state = at::native::update_result_type_state(tensor, state);
    }
  }
  dtype_ = at::native::result_type(state);
  for (const at::Tensor& tensor : tensors) {
    widened_.push_back(tensor.defined() ? widened(tensor) : tensor);
  }
}

} // namespace touchstone::decompositions
