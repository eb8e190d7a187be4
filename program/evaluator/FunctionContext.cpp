#include "program/evaluator/FunctionContext.h"

#include "program/evaluator/Arguments.h"
#include "program/values/RaiseError.h"

#include <c10/util/ScopeExit.h>

#include <utility>

namespace touchstone::evaluator {

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
