#include "backends/debugging/CallText.h"

#include "graph/ir/ArgumentText.h"
#include "graph/ir/Arguments.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/Boxing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

namespace touchstone::debugging {

namespace {

bool isDefault(const c10::IValue& value, const c10::Argument& argument) {
  const auto& ordinary = argument.default_value();
  return ordinary.has_value() && !value.isTensor() && !value.isTensorList() && value.tagKind() == ordinary->tagKind() &&
         value == *ordinary;
}

} // namespace

std::string valueText(const c10::IValue& value, const c10::TypePtr& type) {
  if (value.isTuple()) {
    const auto& items = value.toTupleRef().elements();
    return fmt::format("({}{})", valuesText(torch::jit::Stack(items.begin(), items.end())),
                       items.size() == 1 ? "," : "");
  }
  std::vector<std::string> tensors;
  const auto shown = [&](const at::Tensor& tensor) {
    if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) { // a number of the program
      return values::unboxArgument(tensor.item(), c10::Argument(""), {});
    }
    tensors.push_back(ir::tensorTypeText(runtime::metadataOf(tensor)));
    return ir::nodeArgument(static_cast<ir::NodeId>(tensors.size()) - 1);
  };
  try {
    const ir::Argument argument = values::unboxArgument(value, c10::Argument("", type), shown);
    return ir::argumentText(argument, [&](ir::NodeId id) { return tensors.at(static_cast<size_t>(id)); });
  } catch (const std::invalid_argument&) {
    return "<" + value.tagKind() + ">";
  }
}

std::string argumentsText(const torch::jit::Stack& stack, const c10::FunctionSchema& schema) {
  std::vector<std::string> texts;
  bool byName = false; // behind one that was left out
  for (size_t i = 0; i < stack.size(); ++i) {
    const c10::Argument& argument = schema.arguments().at(i);
    if (isDefault(stack[i], argument)) {
      byName = true;
      continue;
    }
    const std::string text = valueText(stack[i], argument.real_type());
    texts.push_back(byName || argument.kwarg_only() ? argument.name() + "=" + text : text);
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string valuesText(const torch::jit::Stack& stack) {
  std::vector<std::string> texts;
  for (const c10::IValue& value : stack) {
    texts.push_back(valueText(value));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace touchstone::debugging
