#include "oracles/equivalence/ElementOperators.h"

#include "program/operators/OperatorFacts.h"

#include <ATen/core/enum_tag.h>
#include <ATen/core/function_schema.h>
#include <fmt/format.h>

#include <complex>
#include <map>
#include <set>

namespace touchstone::equivalence {

using ir::Argument;
using ir::Node;

namespace {

using Names = std::set<std::string_view>;

/// Without an alias in its schema it moves elements, and puts zeros elsewhere.
bool isMove(std::string_view name) {
  return name == "aten::copy_" || operators::has(operators::atenName(name), operators::kMoves);
}

bool isReinterpretation(const Node& node) {
  static const Names names{"aten::view_as_real", "aten::view_as_complex", "aten::_conj", "aten::_neg_view"};
  return names.contains(ir::withoutOverload(node.target)) || node.target == "aten::view.dtype";
}

/// Of windows that do not cover one another: each element goes to its place.
bool isMoveBackFromWindows(const Node& node) {
  if (node.target != "aten::unfold_backward") {
    return false;
  }
  const auto* size = std::get_if<int64_t>(&node.arguments.at(3).payload);
  const auto* step = std::get_if<int64_t>(&node.arguments.at(4).payload);
  return size != nullptr && step != nullptr && *step >= *size;
}

bool isView(const c10::FunctionSchema& schema) {
  const auto& returns = schema.returns();
  return !returns.empty() && returns[0].alias_info() != nullptr && !returns[0].alias_info()->isWrite();
}

const std::map<std::string_view, ConstantFill>& factories() {
  static const std::map<std::string_view, ConstantFill> table{
      {"aten::zeros", {"0", 0}},        {"aten::zeros_like", {"0", 0}},
      {"aten::new_zeros", {"0", 0}},    {"aten::zero", {"0", 0}},
      {"aten::ones", {"1", 0}},         {"aten::ones_like", {"1", 0}},
      {"aten::new_ones", {"1", 0}},     {"aten::scalar_tensor", {nullptr, 0}},
      {"aten::full", {nullptr, 1}},     {"aten::full_like", {nullptr, 1}},
      {"aten::new_full", {nullptr, 2}},
  };
  return table;
}

bool isUnwritten(std::string_view name) {
  return operators::has(operators::atenName(name), operators::kUnwritten);
}

} // namespace

ElementEffect effectOf(const Node& node, const c10::OperatorHandle& op) {
  const std::string_view name = ir::withoutOverload(node.target);
  if (node.target == "aten::fill.Scalar" || factories().contains(name) || isUnwritten(name)) {
    return ElementEffect::kConstant;
  }
  if (isReinterpretation(node)) {
    return ElementEffect::kReinterpretation;
  }
  if (isView(op.schema())) {
    return ElementEffect::kView;
  }
  if (isMove(name) || isMoveBackFromWindows(node)) {
    return ElementEffect::kMove;
  }
  if (op.schema().is_mutable()) {
    return ElementEffect::kWrite;
  }
  return op.hasTag(at::Tag::pointwise) ? ElementEffect::kPointwise : ElementEffect::kGeneral;
}

ConstantFill fillOf(const Node& node) {
  const std::string_view name = ir::withoutOverload(node.target);
  return node.target == "aten::fill.Scalar" ? ConstantFill{nullptr, 1}
         : isUnwritten(name)                ? ConstantFill{"uninitialized", 0}
                                            : factories().at(name);
}

bool isCommutative(std::string_view name) {
  return operators::has(operators::atenName(name), operators::kCommutative);
}

bool isLinearInFirst(std::string_view name) {
  return operators::has(operators::atenName(name), operators::kLinearInFirst);
}

bool isLinearInAll(std::string_view name) {
  return operators::has(operators::atenName(name), operators::kLinear) || name.ends_with("_backward");
}

bool isAboutMemory(const c10::Argument& argument) {
  static const Names names{"device", "layout", "pin_memory", "memory_format", "non_blocking"};
  return names.contains(argument.name());
}

std::string constantText(const Argument& argument) {
  struct Visitor {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(ir::NodeReference) const { return "_"; }
    std::string operator()(bool value) const { return value ? "1" : "0"; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{:.17g}", value); }
    std::string operator()(std::complex<double> value) const {
      return fmt::format("{:.17g}+{:.17g}j", value.real(), value.imag());
    }
    std::string operator()(const std::string& value) const { return "'" + value + "'"; }
    std::string operator()(ir::DtypeConstant value) const { return ir::dtypeName(value); }
    std::string operator()(ir::LayoutConstant) const { return ""; }
    std::string operator()(ir::MemoryFormatConstant) const { return ""; }
    std::string operator()(const ir::DeviceConstant&) const { return ""; }
    std::string operator()(const Argument::Container& container) const {
      std::string text = "[";
      for (const Argument& item : container.items) {
        text += constantText(item) + ",";
      }
      return text + "]";
    }
  };
  return std::visit(Visitor{}, argument.payload);
}

} // namespace touchstone::equivalence
