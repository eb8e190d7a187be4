#include "backends/fake/FakeTensor.h"
#include "backends/fake/Tracer.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ScalarOps.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/TypeProperties.h>

#include <algorithm>
#include <string>
#include <utility>

// Zeros without memory, which formulas of autograd give for what has no gradient: no value of a Graph is like that. It has plain zeros,
// and what eager makes of the others (`aten/src/ATen/native/BinaryOps.cpp`, the kernels of the ZeroTensor key) is recorded.

namespace touchstone::fake {
namespace {

c10::OperatorHandle operatorNamed(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
}

struct Operands {
  at::Tensor first, second;
  c10::IValue alpha; // of a sum

  Operands(torch::jit::Stack& stack, size_t count) : first(stack[stack.size() - count].toTensor()) {
    const c10::IValue& value = stack[stack.size() - count + 1];
    second = value.isTensor() ? value.toTensor() : at::native::wrapped_scalar_tensor(value.toScalar());
    if (count > 2) {
      alpha = stack.back();
    }
  }
  std::vector<int64_t> sizes() const { return at::infer_size(first.sizes(), second.sizes()); }
  at::ScalarType dtype() const {
    at::native::ResultTypeState state = at::native::update_result_type_state(first, {});
    return at::native::result_type(at::native::update_result_type_state(second, state));
  }
};

} // namespace

bool Tracer::isZeros(const at::Tensor& tensor) const {
  const auto* fake = fakeOf(tensor);
  return fake != nullptr && std::ranges::any_of(zeros_, [&](const c10::Storage& zeros) {
           return zeros.is_alias_of(fake->backing().storage());
         });
}

void Tracer::callZeros(torch::jit::Stack* stack) {
  static const c10::OperatorHandle kZeros = operatorNamed("aten::zeros");
  call(kZeros, stack);
  zeros_.push_back(fakeOf(stack->back().toTensor())->backing().storage());
}

bool Tracer::recordZeros(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::string& name = op.schema().name();
  if (name == "aten::_efficientzerotensor") {
    callZeros(stack);
    return true;
  }
  if (zeros_.empty()) {
    return false;
  }
  const std::string& overload = op.schema().overload_name();
  const bool isOfTensors = overload == "Tensor", isProduct = name == "aten::mul",
             isSum = isOfTensors && (name == "aten::add" || name == "aten::sub");
  if (!(isOfTensors || overload == "Scalar") || !(isSum || isProduct || name == "aten::div")) {
    return false;
  }
  const size_t count = op.schema().arguments().size();
  const Operands operands(*stack, count);
  const bool first = isZeros(operands.first), second = isZeros(operands.second);
  // The product of zeros and anything, NaN too, is such zeros again, and so is their quotient.
  const bool vanishes = isSum ? first && second : isProduct ? first || second : first && !second;
  const std::vector<int64_t> sizes = first || second ? operands.sizes() : std::vector<int64_t>();
  if (vanishes) {
    torch::jit::drop(*stack, count);
    torch::jit::push(*stack, sizes, operands.dtype(), operands.first.layout(), operands.first.device(), c10::IValue());
    callZeros(stack);
    return true;
  }
  if (!isSum || (!first && !second)) {
    return false;
  }
  // The other operand as it is: a sum with zeros would lose the sign of its own.
  torch::jit::drop(*stack, count);
  torch::jit::push(*stack, first ? operands.second : operands.first);
  if (stack->back().toTensor().sizes() != sizes) {
    static const c10::OperatorHandle kExpand = operatorNamed("aten::expand");
    torch::jit::push(*stack, sizes, /*implicit=*/false);
    call(kExpand, stack);
  }
  static const c10::OperatorHandle kCopy = operatorNamed("aten::_to_copy");
  const c10::IValue none;
  torch::jit::push(*stack, operands.dtype(), none, none, none, /*non_blocking=*/false, none);
  call(kCopy, stack);
  const at::Scalar factor = name == "aten::add" ? operands.alpha.toScalar() : -operands.alpha.toScalar();
  if (first && !factor.equal(1)) {
    static const c10::OperatorHandle kMultiply = operatorNamed("aten::mul", "Scalar");
    torch::jit::push(*stack, factor);
    call(kMultiply, stack);
  }
  return true;
}

} // namespace touchstone::fake
