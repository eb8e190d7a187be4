#include "graph/runtime/GraphCode.h"

#include "graph/ir/ArgumentText.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Boxing.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace touchstone::runtime {

namespace {

constexpr std::array<std::string_view, 14> kProducts{
    "aten::mm",  "aten::bmm",  "aten::addmm",  "aten::baddbmm", "aten::addbmm", "aten::mv",     "aten::addmv",
    "aten::dot", "aten::vdot", "aten::matmul", "aten::linear",  "aten::addr",   "aten::einsum", "aten::_trilinear"};
constexpr std::array<std::string_view, 12> kCopies{
    "aten::clone", "aten::_to_copy", "aten::to",     "aten::copy",   "aten::cat",        "aten::stack",
    "aten::flip",  "aten::roll",     "aten::repeat", "aten::gather", "aten::contiguous", "aten::index_select"};
std::optional<ir::Argument> defaultArgument(const c10::Argument& parameter) {
  if (!parameter.default_value()) {
    return std::nullopt;
  }
  try {
    return values::unboxArgument(*parameter.default_value(), parameter, [](const at::Tensor&) -> ir::Argument {
      throw std::invalid_argument("no operator has a tensor as a default");
    });
  } catch (const std::invalid_argument&) {
    return std::nullopt; // always shown
  }
}

std::vector<ir::ParameterText> parametersOf(const std::string& target) {
  const auto op = findOperator(target);
  std::vector<ir::ParameterText> parameters;
  if (op) {
    for (const c10::Argument& each : op->schema().arguments()) {
      parameters.push_back({each.name(), each.kwarg_only(), defaultArgument(each)});
    }
  }
  return parameters;
}

/// A Python number that an operator was called with; it has a tensor around it while operators see it.
std::string pythonNumber(const std::shared_ptr<const void>& constant) {
  const auto& tensor = *static_cast<const at::Tensor*>(constant.get());
  return tensor.defined() && tensor.unsafeGetTensorImpl()->is_wrapped_number() ? elementText(tensor) : "";
}

/// `torch.tensor(0.5, dtype=torch.float32)`; empty for what is no single number.
std::string tensorText(const std::shared_ptr<const void>& constant) {
  const auto& tensor = *static_cast<const at::Tensor*>(constant.get());
  if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.numel() != 1) {
    return "";
  }
  std::string number = elementText(tensor);
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    number = "[" + number + "]";
  }
  return "torch.tensor(" + number + ", dtype=torch." + ir::dtypeName({static_cast<int64_t>(tensor.scalar_type())}) +
         ")";
}

} // namespace

std::string elementText(const at::Tensor& element) {
  const at::Scalar value = element.item();
  if (value.isBoolean()) {
    return value.toBool() ? "True" : "False";
  }
  if (value.isComplex()) {
    const auto number = value.toComplexDouble();
    return "complex(" + ir::numberText(number.real()) + ", " + ir::numberText(number.imag()) + ")";
  }
  if (value.isFloatingPoint()) {
    return ir::numberText(value.toDouble());
  }
  return value.type() == at::kUInt64 ? std::to_string(value.toUInt64()) : std::to_string(value.toLong());
}

ir::GraphTextOptions libtorchTextOptions() {
  ir::GraphTextOptions options;
  options.parameters = parametersOf;
  options.numberText = pythonNumber;
  options.constantText = tensorText;
  return options;
}

ir::OperatorFamily familyOf(const std::string& target) {
  const auto op = findOperator(target);
  const std::string_view name = ir::withoutOverload(target);
  const auto isAmong = [&](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (isAmong(kProducts) || name.find("conv") != std::string_view::npos ||
      name.find("_attention") != std::string_view::npos) {
    return ir::OperatorFamily::kMatrix;
  }
  if (isAmong(kCopies)) {
    return ir::OperatorFamily::kLayout;
  }
  const auto holds = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (holds("softmax") || holds("_norm") || holds("aten::cum") || (op && op->hasTag(at::Tag::reduction))) {
    return ir::OperatorFamily::kReduction;
  }
  if (!op) {
    return ir::OperatorFamily::kOther;
  }
  if (op->hasTag(at::Tag::nondeterministic_seeded)) {
    return ir::OperatorFamily::kRandom;
  }
  if (op->hasTag(at::Tag::pointwise)) {
    return ir::OperatorFamily::kPointwise;
  }
  const auto& given = op->schema().arguments();
  const bool isTensor = std::any_of(given.begin(), given.end(), [](const c10::Argument& each) {
    return each.type()->isSubtypeOf(*c10::TensorType::get()) || each.type()->isSubtypeOf(*c10::ListType::ofTensors());
  });
  return isTensor && name.find("_like") == std::string_view::npos && !name.starts_with("aten::new_")
             ? ir::OperatorFamily::kOther
             : ir::OperatorFamily::kCreation;
}

bool returnsView(const std::string& target) {
  const auto op = findOperator(target);
  if (!op) {
    return false;
  }
  const auto& returned = op->schema().returns();
  return std::any_of(returned.begin(), returned.end(), [](const c10::Argument& each) {
    return each.alias_info() != nullptr && !each.alias_info()->isWrite();
  });
}

} // namespace touchstone::runtime
