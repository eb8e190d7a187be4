#include "program/evaluator/FunctionResults.h"

#include "program/values/RaiseError.h"

#include <utility>

namespace touchstone::evaluator {

using torch::autograd::variable_list;

namespace {

using TensorSet = std::unordered_set<at::TensorImpl*>;
using OptionalVariables = std::vector<std::optional<at::Tensor>>;

// What `ctx.save_for_backward` was given; none: None.
OptionalVariables tensorsToSave(const FunctionContext& context) {
  OptionalVariables tensors;
  for (size_t i = 0; i < context.toSave.size(); ++i) {
    const values::Value& value = context.toSave[i];
    if (!value.isNone() && !value.isTensor()) {
      values::raiseError("TypeError", "save_for_backward can only save variables, but argument {} is of type {}", i,
                         value.typeName());
    }
    tensors.push_back(value.isTensor() ? std::optional(value.tensor()) : std::nullopt);
  }
  return tensors;
}

TensorSet marked(const values::ValueList& values, const char* otherwise) {
  TensorSet tensors;
  for (const values::Value& value : values) {
    if (!value.isTensor()) {
      values::raiseError("RuntimeError", "{}", otherwise);
    }
    tensors.insert(value.tensor().unsafeGetTensorImpl());
  }
  return tensors;
}

TensorSet implsOf(const values::ValueList& values) {
  TensorSet impls;
  for (const values::Value& value : values) {
    if (value.isTensor()) {
      impls.insert(value.tensor().unsafeGetTensorImpl());
    }
  }
  return impls;
}

} // namespace

variable_list noForwardMode(const variable_list&, const variable_list&) {
  values::raiseError(
      "NotImplementedError",
      "You must implement the jvp function for custom autograd.Function to use it with forward mode AD.");
}

at::Tensor viewOfItself(const at::Tensor& tensor) {
  return tensor.view_as(tensor);
}

bool requiresGrad(const values::Value& value) {
  return value.isTensor() && value.tensor().requires_grad();
}

FunctionResults::FunctionResults(FunctionNode& node, const variable_list& inputs, const values::Value& returned,
                                 bool isExecutable, bool hasSetup)
    : node_(node), context_(node.context), inputs_(inputs), isExecutable_(isExecutable), hasSetup_(hasSetup) {
  isTuple_ = returned.is<values::TuplePtr>();
  values_ = isTuple_ ? *returned.items() : values::ValueList{returned};
}

values::Value FunctionResults::wrapped() {
  const OptionalVariables toSave = isExecutable_ && hasSetup_ ? tensorsToSave(context_) : OptionalVariables();
  wrap(hasSetup_ ? implsOf(context_.toSave) : TensorSet()); // also where nothing is going to be saved
  if (isExecutable_) { // what they save has its node now
    save(hasSetup_ ? toSave : tensorsToSave(context_));
  }
  context_.toSave.clear();
  context_.dirty.clear();
  context_.nonDifferentiable.clear();
  return isTuple_ ? values::Value::tuple(std::move(values_)) : values_.front();
}

void FunctionResults::wrap(const TensorSet& savedBySetup) {
  const TensorSet nonDifferentiable =
      marked(context_.nonDifferentiable, "mark_non_differentiable only accepts variable arguments, but got ");
  const TensorSet dirty = marked(context_.dirty, "mark_dirty can only accept variables, but argument ");
  for (const values::Value& value : context_.dirty) {
    torch::autograd::impl::bump_version(value.tensor());
  }
  OptionalVariables raw;
  for (const values::Value& value : values_) {
    raw.push_back(value.isTensor() ? std::optional(value.tensor()) : std::nullopt);
  }
  const OptionalVariables outputs =
      torch::autograd::_wrap_outputs(inputs_, nonDifferentiable, dirty, raw,
                                     isExecutable_ ? node_.getptr() : c10::intrusive_ptr<torch::autograd::Node>(),
                                     noForwardMode, savedBySetup, viewOfItself, /*pure_view=*/false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]) {
      values_[i] = values::Value(*outputs[i]);
    }
    if (isExecutable_) {
      outputs[i] ? node_.outputs.emplace_back(*outputs[i]) : node_.outputs.emplace_back();
    }
  }
}

void FunctionResults::save(const OptionalVariables& tensors) {
  for (const std::optional<at::Tensor>& tensor : tensors) {
    const bool isOutput = tensor && tensor->grad_fn().get() == &node_;
    context_.saved.push_back(tensor ? torch::autograd::SavedVariable(*tensor, isOutput)
                                    : torch::autograd::SavedVariable());
  }
}

} // namespace touchstone::evaluator
