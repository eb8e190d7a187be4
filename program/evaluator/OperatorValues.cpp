#include "program/evaluator/OperatorValues.h"

#include "graph/ir/CaseOperators.h"
#include "program/torch_names/ArgumentParser.h"
#include "program/values/RaiseError.h"

#include <ATen/core/jit_type.h>
#include <ATen/ops/item.h>

#include <algorithm>
#include <optional>

namespace touchstone::evaluator {
namespace {

using values::Value;

/// `mine::scale(Tensor x, float k=2.) -> Tensor`
std::string declarationOf(const c10::FunctionSchema& schema) {
  return ir::withoutCaseMark(c10::toString(schema));
}

std::string nameOf(const c10::FunctionSchema& schema) {
  return ir::withoutCaseMark(schema.name());
}

/// Nothing for what the type does not take.
std::optional<c10::IValue> boxed(const Value& value, const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType:
      if (value.isNone()) {
        return at::Tensor();
      }
      return value.isTensor() ? std::optional<c10::IValue>(value.tensor()) : std::nullopt;
    case c10::TypeKind::OptionalType:
      return value.isNone() ? std::optional(c10::IValue())
                            : boxed(value, *type.expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::IntType:
      if (const auto* flag = value.maybe<bool>()) {
        return static_cast<int64_t>(*flag);
      }
      return torch_names::isIndexLike(value) ? std::optional<c10::IValue>(torch_names::toIndex(value)) : std::nullopt;
    case c10::TypeKind::FloatType:
      if (value.isTensor() && value.tensor().numel() == 1) {
        return value.tensor().item().toDouble();
      }
      return value.isNumber() && !value.is<std::complex<double>>()
                 ? std::optional<c10::IValue>(torch_names::toScalar(value).toDouble())
                 : std::nullopt;
    case c10::TypeKind::BoolType:
      if (const auto* number = value.maybe<int64_t>()) {
        return *number != 0;
      }
      return value.is<bool>() ? std::optional<c10::IValue>(value.as<bool>()) : std::nullopt;
    case c10::TypeKind::ListType: {
      const c10::TypePtr& element = type.expectRef<c10::ListType>().getElementType();
      const values::ValueList* items = value.items();
      if (items == nullptr) {
        return std::nullopt;
      }
      c10::impl::GenericList list(element);
      for (const Value& item : *items) {
        const bool isMissing = item.isNone() && element->kind() == c10::TypeKind::TensorType;
        const std::optional<c10::IValue> one = isMissing ? std::nullopt : boxed(item, *element);
        if (!one) {
          return std::nullopt;
        }
        list.push_back(*one);
      }
      return c10::IValue(std::move(list));
    }
    default: return std::nullopt;
  }
}

Value unboxed(const c10::IValue& value) {
  if (value.isTensor()) {
    return value.toTensor().defined() ? Value(value.toTensor()) : Value();
  }
  if (value.isInt()) {
    return Value(value.toInt());
  }
  if (value.isDouble()) {
    return Value(value.toDouble());
  }
  if (value.isBool()) {
    return Value(value.toBool());
  }
  if (value.isList()) {
    values::ValueList items;
    for (const c10::IValue& item : value.toListRef()) {
      items.push_back(unboxed(item));
    }
    return Value::list(std::move(items));
  }
  TORCH_INTERNAL_ASSERT(value.isNone(), "a custom operator is given ", value.tagKind());
  return {};
}

[[noreturn]] void raiseMissing(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  values::raiseError("RuntimeError", "{}() is missing value for argument '{}'. Declaration: {}", nameOf(schema),
                     argument.name(), declarationOf(schema));
}

} // namespace

torch::jit::Stack boxedArguments(const c10::FunctionSchema& schema, const CallArguments& given) {
  const std::vector<c10::Argument>& taken = schema.arguments();
  if (given.positional.size() > taken.size()) {
    values::raiseError(
        "RuntimeError", "{}() expected at most {} argument(s) but received {} argument(s). Declaration: {}",
        nameOf(schema), taken.size(), given.positional.size() + given.keywords.size(), declarationOf(schema));
  }
  for (const auto& [name, value] : given.keywords) {
    const auto found = std::ranges::find(taken, name, [](const c10::Argument& each) { return each.name(); });
    if (found == taken.end()) {
      values::raiseError("RuntimeError", "Unknown keyword argument '{}' for operator '{}'. Schema: {}", name,
                         nameOf(schema), declarationOf(schema));
    }
    if (static_cast<size_t>(found - taken.begin()) < given.positional.size()) {
      values::raiseError("RuntimeError", "Argument '{}' specified both as positional and keyword argument. Schema: {}",
                         name, declarationOf(schema));
    }
  }
  torch::jit::Stack stack;
  for (size_t i = 0; i < taken.size(); ++i) {
    const auto named = std::ranges::find(given.keywords, taken[i].name(), [](const auto& each) { return each.first; });
    const Value* value = i < given.positional.size()     ? &given.positional[i]
                         : named != given.keywords.end() ? &named->second
                                                         : nullptr;
    if (value == nullptr) {
      if (!taken[i].default_value()) {
        raiseMissing(schema, taken[i]);
      }
      stack.push_back(*taken[i].default_value());
      continue;
    }
    std::optional<c10::IValue> one = boxed(*value, *taken[i].type());
    if (!one) {
      values::raiseError("RuntimeError",
                         "{}() Expected a value of type '{}' for argument '{}' but instead found type '{}'.\nPosition: "
                         "{}\nDeclaration: {}",
                         nameOf(schema), taken[i].type()->repr_str(), taken[i].name(), value->typeName(), i,
                         declarationOf(schema));
    }
    stack.push_back(std::move(*one));
  }
  return stack;
}

values::ValueList unboxedArguments(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments,
                                   bool leavesOutDefaults) {
  size_t count = arguments.size();
  const auto isDefault = [&](size_t position) {
    const std::optional<c10::IValue>& otherwise = schema.arguments()[position].default_value();
    return otherwise && *otherwise == arguments[position];
  };
  while (leavesOutDefaults && count > 0 && isDefault(count - 1)) {
    --count;
  }
  values::ValueList values;
  for (const c10::IValue& argument : arguments.slice(0, count)) {
    values.push_back(unboxed(argument));
  }
  return values;
}

void pushResults(const c10::FunctionSchema& schema, const Value& returned, torch::jit::Stack& stack) {
  const std::vector<c10::Argument>& results = schema.returns();
  const auto push = [&](const Value& value, const c10::Argument& result) {
    std::optional<c10::IValue> one = boxed(value, *result.type());
    if (!one) {
      values::raiseError("RuntimeError", "Unable to cast a value of type {} to {}", value.typeName(),
                         result.type()->repr_str());
    }
    stack.push_back(std::move(*one));
  };
  if (results.empty()) {
    if (!returned.isNone()) {
      values::raiseError("RuntimeError",
                         "Expected PythonKernelHolder for {} to return None but it returned something else instead.",
                         nameOf(schema));
    }
  } else if (results.size() == 1) {
    push(returned, results[0]);
  } else {
    const values::ValueList* items = returned.items();
    if (items == nullptr) {
      values::raiseError("TypeError", "Object of type '{}' is not an instance of 'sequence'", returned.typeName());
    }
    if (items->size() != results.size()) {
      values::raiseError("RuntimeError", "{} returned {} values; its schema has {}", nameOf(schema), items->size(),
                         results.size());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      push((*items)[i], results[i]);
    }
  }
}

} // namespace touchstone::evaluator
