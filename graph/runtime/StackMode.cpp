#include "graph/runtime/StackMode.h"

#include <c10/util/Exception.h>

#include <optional>
#include <type_traits>

namespace touchstone::runtime {

namespace {

using values::Value;
using values::ValueList;

c10::IValue shownValue(const Value& value) {
  return std::visit(
      [](const auto& held) -> c10::IValue {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, values::ListPtr> || std::is_same_v<Held, values::TuplePtr>) {
          std::vector<c10::IValue> items;
          for (const Value& item : held->items) {
            items.push_back(shownValue(item));
          }
          if constexpr (std::is_same_v<Held, values::TuplePtr>) {
            return c10::ivalue::Tuple::create(std::move(items));
          }
          c10::impl::GenericList list(c10::AnyType::get());
          for (c10::IValue& item : items) {
            list.push_back(std::move(item));
          }
          return list;
        } else if constexpr (std::is_same_v<Held, std::complex<double>>) {
          return c10::complex<double>(held);
        } else if constexpr (std::is_same_v<Held, bool> || std::is_same_v<Held, int64_t> ||
                             std::is_same_v<Held, double> || std::is_same_v<Held, std::string> ||
                             std::is_same_v<Held, at::Tensor>) {
          return held;
        } else {
          return {};
        }
      },
      value.payload());
}

Value valueOf(const c10::IValue& shown, const std::string& target) {
  if (shown.isNone()) {
    return {};
  }
  if (shown.isTensor()) {
    return shown.toTensor().defined() ? Value(shown.toTensor()) : Value();
  }
  if (shown.isBool()) {
    return Value(Value::Payload(shown.toBool()));
  }
  if (shown.isInt()) {
    return Value(Value::Payload(shown.toInt()));
  }
  if (shown.isDouble()) {
    return Value(Value::Payload(shown.toDouble()));
  }
  if (shown.isComplexDouble()) {
    return Value(Value::Payload(std::complex<double>(shown.toComplexDouble())));
  }
  if (shown.isString()) {
    return Value(Value::Payload(shown.toStringRef()));
  }
  TORCH_CHECK_TYPE(shown.isTuple() || shown.isList(), "a mode has left a ", shown.tagKind(), " as the result of `",
                   target, "`; it may be a tensor, a number, a string, None, or a tuple or list of these");
  ValueList items;
  if (shown.isTuple()) {
    for (const c10::IValue& item : shown.toTupleRef().elements()) {
      items.push_back(valueOf(item, target));
    }
    return Value::tuple(std::move(items));
  }
  for (const c10::IValue& item : shown.toListRef()) {
    items.push_back(valueOf(item, target));
  }
  return Value::list(std::move(items));
}

} // namespace

void StackMode::onOperator(const ir::Node& node, const c10::OperatorHandle&, torch::jit::Stack& stack,
                           const std::function<void()>& next) {
  onCall(node, stack, next);
}

Value StackMode::onCallable(const ir::Node& node, const CallableCall& call, const ValueList& arguments,
                            const std::function<Value()>& next) {
  if (call.isHook || call.entersContext || call.leavesContext) {
    return next();
  }
  torch::jit::Stack stack;
  for (const Value& argument : arguments) {
    stack.push_back(shownValue(argument));
  }
  std::optional<Value> result;
  c10::IValue shown;
  onCall(node, stack, [&] {
    result = next();
    shown = shownValue(*result);
    stack = {shown};
  });
  TORCH_CHECK(stack.size() == 1, "node `", node.name, "`: a mode has left ", stack.size(), " results, `", node.target,
              "` has 1");
  // What is left as it was stays what it is, a value that no stack can show included.
  return result && stack[0].is(shown) ? *result : valueOf(stack[0], node.target);
}

} // namespace touchstone::runtime
