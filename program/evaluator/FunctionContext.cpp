#include "program/evaluator/FunctionContext.h"

#include "program/semantics/Arguments.h"
#include "program/values/RaiseError.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace touchstone::evaluator {

using namespace semantics;

using namespace std::string_view_literals; // their sizes are compared first

namespace {

values::Value savedTensors(const FunctionContext& context) {
  if (context.isFreed) {
    values::raiseError("RuntimeError", "{}", torch::autograd::ERR_BACKWARD_TWICE);
  }
  values::ValueList tensors;
  for (const torch::autograd::SavedVariable& saved : context.saved) {
    at::Tensor tensor = saved.unpack(context.node->getptr());
    tensors.push_back(tensor.defined() ? values::Value(std::move(tensor)) : values::Value());
  }
  return values::Value::tuple(std::move(tensors));
}

void setMaterializeGrads(FunctionContext& context, const values::ValueList& positional,
                         const torch_names::KeywordList& keywords) {
  const Arguments arguments("FunctionCtx.set_materialize_grads", {"value"}, positional, keywords, 1);
  if (!arguments.at(0).is<bool>()) {
    values::raiseError(
        "TypeError",
        "set_materialize_grads received an invalid combination of arguments - got ({}), but expected (bool)",
        arguments.at(0).typeName());
  }
  context.materializesGrads = arguments.at(0).as<bool>();
}

} // namespace

values::ValueList OperatorLists::opened(const values::ValueList& values, bool maybeNone, Sizes& sizes) {
  values::ValueList flat;
  for (const values::Value& value : values) {
    const auto* list = value.maybe<values::ListPtr>();
    const bool isOpened = list != nullptr && std::ranges::all_of((*list)->items, [&](const values::Value& each) {
                            return each.isTensor() || (maybeNone && each.isNone());
                          });
    sizes.push_back(isOpened ? std::optional((*list)->items.size()) : std::nullopt);
    if (isOpened) {
      std::ranges::copy((*list)->items, std::back_inserter(flat));
    } else {
      flat.push_back(value);
    }
  }
  return flat;
}

values::ValueList OperatorLists::nested(const values::ValueList& flat, const Sizes& sizes) {
  values::ValueList values;
  size_t next = 0;
  for (const std::optional<size_t>& size : sizes) {
    if (!size) {
      values.push_back(flat.at(next++));
      continue;
    }
    const auto first = flat.begin() + static_cast<std::ptrdiff_t>(next);
    values.push_back(values::Value::list({first, first + static_cast<std::ptrdiff_t>(*size)}));
    next += *size;
  }
  return values;
}

namespace {

/// As torch.utils._pytree prints a tuple whose items are leaves (none) or lists of so many.
std::string specOf(const OperatorLists::Sizes& sizes) {
  std::string text;
  for (const std::optional<size_t>& size : sizes) {
    std::string item = "*";
    if (size) {
      item = "TreeSpec(list, None, [";
      for (size_t i = 0; i < *size; ++i) {
        item += i > 0 ? ",\n    *" : "*";
      }
      item += "])";
    }
    text += (text.empty() ? "" : ",\n  ") + item;
  }
  return "TreeSpec(tuple, None, [" + text + "])";
}

} // namespace

values::ValueList OperatorLists::flattened(const values::ValueList& gradients) const {
  Sizes given;
  values::ValueList flat = opened(gradients, /*maybeNone=*/true, given);
  if (given != arguments) {
    Sizes expected = arguments;
    given.emplace_back(); // what PyTorch hands on behind the arguments
    expected.emplace_back();
    values::raiseError(
        "RuntimeError",
        "Expected the return from backward to be of the same structure as the inputs. Got: {} (return from "
        "backward), {} (inputs)",
        specOf(given), specOf(expected));
  }
  return flat;
}

values::Value FunctionContext::get(const std::string& name) const {
  if (name == "saved_tensors"sv) {
    return savedTensors(*this);
  }
  if (name == "needs_input_grad"sv) {
    return values::Value::tuple(needsInputGrad);
  }
  const auto found = fields.find(name);
  if (found == fields.end()) {
    values::raiseError("AttributeError", "'{}' object has no attribute '{}'", node->name(), name);
  }
  return found->second;
}

void FunctionContext::call(const std::string& method, const values::ValueList& positional,
                           const torch_names::KeywordList& keywords) {
  if (method == "set_materialize_grads"sv) {
    return setMaterializeGrads(*this, positional, keywords);
  }
  if (!keywords.empty()) {
    values::raiseError("TypeError", "FunctionCtx.{}() got an unexpected keyword argument '{}'", method,
                       keywords.front().first);
  }
  if (method == "save_for_backward"sv) {
    toSave = positional;
  } else if (method == "mark_dirty"sv) {
    dirty = positional;
  } else if (method == "mark_non_differentiable"sv) {
    nonDifferentiable = positional;
  } else {
    values::raiseError("AttributeError", "'{}' object has no attribute '{}'", node->name(), method);
  }
}

} // namespace touchstone::evaluator
