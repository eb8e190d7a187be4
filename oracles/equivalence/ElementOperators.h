#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <string_view>

namespace touchstone::equivalence {

/// What an operator does to the elements of its operands.
enum class ElementEffect {
  kView, // the same elements, in the same memory
  kMove, // the same elements elsewhere, and zeros beside them
  kReinterpretation, // a view after which the bits are read in another way
  kConstant, // every element is one number
  kPointwise, // an element is made of the elements at its place
  kWrite, // something else than moving elements to memory that is there
  kGeneral, // anything
};
ElementEffect effectOf(const ir::Node& node, const c10::OperatorHandle& op);

/// What an operator of kind kConstant fills its result with: a text that is equal for equal numbers, `uninitialized`, or
/// nothing where an argument says it.
struct ConstantFill {
  const char* text;
  size_t argument;
};
ConstantFill fillOf(const ir::Node& node);

/// The order of two operands does not count. `name`: without overload.
bool isCommutative(std::string_view name);
/// Zero as the first operand gives zero, whatever the others are.
bool isLinearInFirst(std::string_view name);
/// Zeros alone give zeros.
bool isLinearInAll(std::string_view name);

/// An argument that says where or how results lie, and nothing of their elements: `device`, `memory_format`.
bool isAboutMemory(const c10::Argument& argument);

/// A constant argument as text that is equal for equal values; nothing for what decides about memory alone.
std::string constantText(const ir::Argument& argument);

} // namespace touchstone::equivalence
