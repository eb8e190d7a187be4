#include "oracles/equivalence/ElementOperators.h"

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

/// Operators without an alias in their schema that move elements, and put zeros elsewhere.
const Names& moves() {
  static const Names names{"aten::clone",
                           "aten::contiguous",
                           "aten::copy",
                           "aten::copy_",
                           "aten::_unsafe_view",
                           "aten::reshape",
                           "aten::_reshape_copy",
                           "aten::cat",
                           "aten::stack",
                           "aten::expand_copy",
                           "aten::flip",
                           "aten::roll",
                           "aten::repeat",
                           "aten::rot90",
                           "aten::select_scatter",
                           "aten::slice_scatter",
                           "aten::diagonal_scatter",
                           "aten::as_strided_scatter",
                           "aten::as_strided_copy",
                           "aten::view_copy",
                           "aten::slice_copy",
                           "aten::select_copy",
                           "aten::select_backward",
                           "aten::slice_backward",
                           "aten::diagonal_backward",
                           "aten::lift",
                           "aten::lift_fresh_copy",
                           "aten::tril",
                           "aten::triu",
                           "aten::_to_copy",
                           "aten::unfold_copy",
                           "aten::permute_copy",
                           "aten::transpose_copy",
                           "aten::diagonal_copy",
                           "aten::channel_shuffle",
                           "aten::pixel_shuffle",
                           "aten::pixel_unshuffle",
                           "aten::expand_as",
                           "aten::resolve_conj",
                           "aten::resolve_neg"};
  return names;
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
      {"aten::zeros", {"0", 0}},
      {"aten::zeros_like", {"0", 0}},
      {"aten::new_zeros", {"0", 0}},
      {"aten::zero", {"0", 0}},
      {"aten::ones", {"1", 0}},
      {"aten::ones_like", {"1", 0}},
      {"aten::new_ones", {"1", 0}},
      {"aten::empty", {"uninitialized", 0}},
      {"aten::empty_like", {"uninitialized", 0}},
      {"aten::empty_strided", {"uninitialized", 0}},
      {"aten::empty_permuted", {"uninitialized", 0}},
      {"aten::new_empty", {"uninitialized", 0}},
      {"aten::new_empty_strided", {"uninitialized", 0}},
      {"aten::scalar_tensor", {nullptr, 0}},
      {"aten::full", {nullptr, 1}},
      {"aten::full_like", {nullptr, 1}},
      {"aten::new_full", {nullptr, 2}},
  };
  return table;
}

} // namespace

ElementEffect effectOf(const Node& node, const c10::OperatorHandle& op) {
  const std::string_view name = ir::withoutOverload(node.target);
  if (node.target == "aten::fill.Scalar" || factories().contains(name)) {
    return ElementEffect::kConstant;
  }
  if (isReinterpretation(node)) {
    return ElementEffect::kReinterpretation;
  }
  if (isView(op.schema())) {
    return ElementEffect::kView;
  }
  if (moves().contains(name) || isMoveBackFromWindows(node)) {
    return ElementEffect::kMove;
  }
  if (op.schema().is_mutable()) {
    return ElementEffect::kWrite;
  }
  return op.hasTag(at::Tag::pointwise) ? ElementEffect::kPointwise : ElementEffect::kGeneral;
}

ConstantFill fillOf(const Node& node) {
  return node.target == "aten::fill.Scalar" ? ConstantFill{nullptr, 1}
                                            : factories().at(ir::withoutOverload(node.target));
}

bool isCommutative(std::string_view name) {
  static const Names names{"aten::add",         "aten::mul",         "aten::maximum",     "aten::minimum",
                           "aten::eq",          "aten::ne",          "aten::logical_and", "aten::logical_or",
                           "aten::logical_xor", "aten::bitwise_and", "aten::bitwise_or",  "aten::bitwise_xor"};
  return names.contains(name);
}

bool isLinearInFirst(std::string_view name) {
  static const Names names{"aten::neg", "aten::div", "aten::threshold_backward", "aten::tanh_backward",
                           "aten::sigmoid_backward"};
  return names.contains(name);
}

bool isLinearInAll(std::string_view name) {
  static const Names names{"aten::sum",
                           "aten::mean",
                           "aten::mm",
                           "aten::bmm",
                           "aten::mv",
                           "aten::dot",
                           "aten::cumsum",
                           "aten::gather",
                           "aten::index",
                           "aten::index_select",
                           "aten::scatter_add",
                           "aten::index_add",
                           "aten::index_put",
                           "aten::_index_put_impl",
                           "aten::scatter",
                           "aten::take",
                           "aten::masked_select",
                           "aten::masked_scatter",
                           "aten::constant_pad_nd",
                           "aten::view_as_real",
                           "aten::view_as_complex"};
  return names.contains(name) || name.ends_with("_backward");
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
