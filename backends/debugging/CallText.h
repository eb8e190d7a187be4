#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include <string>

namespace touchstone::debugging {

/// A value as a Python expression, tensors by what they are (`f32[2, 3]`, ir::tensorTypeText()), numbers in disguise by their value; in angle brackets the type of what
/// a Graph cannot hold.
std::string valueText(const c10::IValue& value, const c10::TypePtr& type = c10::AnyType::get());

/// The arguments of an operator, `f32[2, 3], 2, alpha=3`: those that are the schema's defaults left out, those that can
/// only be named by name.
std::string argumentsText(const torch::jit::Stack& stack, const c10::FunctionSchema& schema);
/// Values in order.
std::string valuesText(const torch::jit::Stack& stack);

} // namespace touchstone::debugging
