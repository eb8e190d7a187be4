#include "program/evaluator/CustomFunctions.h"

#include "program/evaluator/Arguments.h"
#include "program/evaluator/FunctionNode.h"
#include "program/evaluator/State.h"
#include "program/evaluator/TraceableBodies.h"
#include "program/values/RaiseError.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

// After `torch/csrc/autograd/python_function.cpp` and `torch/autograd/function.py`.

namespace touchstone::evaluator {

using torch::autograd::variable_list;

namespace {

using TensorSet = std::unordered_set<at::TensorImpl*>;
using OptionalVariables = std::vector<std::optional<at::Tensor>>;

bool requiresGrad(const values::Value& value) {
  return value.isTensor() && value.tensor().requires_grad();
}

variable_list tensorsOf(const values::ValueList& values) {
  variable_list tensors;
  for (const values::Value& value : values) {
    if (value.isTensor()) {
      tensors.push_back(value.tensor());
    }
  }
  return tensors;
}

// By position, keywords as the parameters of `forward` have them.
values::ValueList boundArguments(const language::CustomFunction& function, const CallArguments& given) {
  if (given.keywords.empty()) {
    return given.positional;
  }
  std::vector<const char*> names;
  for (const std::string& parameter : function.find("forward")->parameters) {
    names.push_back(parameter.c_str());
  }
  if (function.find("setup_context") == nullptr) {
    names.erase(names.begin()); // `ctx`
  }
  const Arguments bound(function.name + ".forward", names, given.positional, given.keywords, names.size());
  values::ValueList arguments;
  for (size_t i = 0; i < names.size(); ++i) {
    arguments.push_back(bound.at(i));
  }
  return arguments;
}

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

/// What a forward returned, made results of the node.
class Results {
 public:
  Results(FunctionNode& node, const variable_list& inputs, const values::Value& returned, bool isExecutable,
          bool hasSetup)
      : node_(node), context_(node.context), inputs_(inputs), isExecutable_(isExecutable), hasSetup_(hasSetup) {
    isTuple_ = returned.is<values::TuplePtr>();
    values_ = isTuple_ ? *returned.items() : values::ValueList{returned};
  }

  values::Value wrapped() {
    OptionalVariables toSave;
    TensorSet savedBySetup;
    if (isExecutable_ && hasSetup_) {
      toSave = tensorsToSave(context_);
      savedBySetup = implsOf(toSave);
    }
    wrap(savedBySetup);
    if (isExecutable_) { // what they save has its node now
      save(hasSetup_ ? toSave : tensorsToSave(context_));
    }
    context_.toSave.clear();
    context_.dirty.clear();
    context_.nonDifferentiable.clear();
    return isTuple_ ? values::Value::tuple(std::move(values_)) : values_.front();
  }

 private:
  static TensorSet implsOf(const OptionalVariables& tensors) {
    TensorSet impls;
    for (const std::optional<at::Tensor>& tensor : tensors) {
      if (tensor) {
        impls.insert(tensor->unsafeGetTensorImpl());
      }
    }
    return impls;
  }

  void wrap(const TensorSet& savedBySetup) {
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

  void save(const OptionalVariables& tensors) {
    for (const std::optional<at::Tensor>& tensor : tensors) {
      const bool isOutput = tensor && tensor->grad_fn().get() == &node_;
      context_.saved.push_back(tensor ? torch::autograd::SavedVariable(*tensor, isOutput)
                                      : torch::autograd::SavedVariable());
    }
  }

  FunctionNode& node_;
  FunctionContext& context_;
  const variable_list& inputs_;
  bool isExecutable_, hasSetup_, isTuple_ = false;
  values::ValueList values_;
};

/// What `once_differentiable` makes of the gradients that a backward returned: a second backward through them raises.
values::Value differentiatedOnce(const values::Value& returned) {
  const bool isTuple = returned.is<values::TuplePtr>();
  variable_list outputs;
  for (const values::Value& value : isTuple ? *returned.items() : values::ValueList{returned}) {
    at::Tensor output = value.isTensor() ? value.tensor().detach() : at::Tensor();
    outputs.push_back(output.defined() ? output.set_requires_grad(true) : output);
  }
  const auto error = c10::make_intrusive<torch::autograd::DelayedError>(
      "trying to differentiate twice a function that was marked with @once_differentiable",
      static_cast<int64_t>(outputs.size()));
  values::ValueList results;
  for (at::Tensor& output : (*error)(std::move(outputs))) {
    results.push_back(output.defined() ? values::Value(std::move(output)) : values::Value());
  }
  return results.size() == 1 ? results.front() : values::Value::tuple(std::move(results));
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

values::Value CustomFunctions::method(const language::CustomFunction& function, const char* name,
                                      values::ValueList arguments, FunctionContext* context) {
  if (context != nullptr) {
    arguments.insert(arguments.begin(), values::Value()); // `ctx`, which no expression can read as a whole
  }
  return state_.statements.call(*function.find(name), {std::move(arguments), {}},
                                {.name = function.name + "." + name, .context = context});
}

values::Value CustomFunctions::forward(const language::CustomFunction& function, const values::ValueList& arguments,
                                       FunctionContext& context) {
  const c10::AutoGradMode noGradients(false);
  const c10::AutoFwGradMode noForwardGradients(false);
  if (function.find("setup_context") == nullptr) {
    return method(function, "forward", arguments, &context);
  }
  values::Value output = method(function, "forward", arguments, nullptr);
  method(function, "setup_context", {values::Value::tuple(arguments), output}, &context);
  return output;
}

values::Value CustomFunctions::apply(const language::CustomFunction& function, const CallArguments& given) {
  if (!state_.watchers.takeCallables()) {
    return run(function, given);
  }
  if (const char* what = whatIsNotTraced(state_.theCase, function, state_.watchers.tellsIntegers())) {
    state_.watchers.cannotCapture(what);
  }
  return state_.watchers.call(
      runtime::CallableCall::custom(function.name + ".apply", given.positional, given.keywords,
                                    [name = function.name, program = state_.functionValues.owned()](
                                        const values::ValueList& values, const torch_names::KeywordList& named) {
                                      return Evaluator(program).applyCustomFunction(name, values, named);
                                    }));
}

values::Value CustomFunctions::run(const language::CustomFunction& function, const CallArguments& given) {
  const values::ValueList arguments = boundArguments(function, given);
  const variable_list inputs = tensorsOf(arguments);
  const bool isExecutable =
      c10::GradMode::is_enabled() && std::any_of(arguments.begin(), arguments.end(), requiresGrad);
  const auto node = c10::make_intrusive<FunctionNode>(function.name, state_.functionValues.owned());
  node->set_next_edges(isExecutable ? torch::autograd::collect_next_edges(inputs) : torch::autograd::edge_list());
  node->clear_input_metadata();
  for (const values::Value& argument : arguments) {
    node->isTensor.push_back(argument.isTensor());
    node->context.needsInputGrad.push_back(boolValue(requiresGrad(argument)));
  }
  const values::Value returned = forward(function, arguments, node->context);
  return Results(*node, inputs, returned, isExecutable, function.find("setup_context") != nullptr).wrapped();
}

values::Value CustomFunctions::backward(const language::CustomFunction& function, values::ValueList gradients,
                                        FunctionContext& context) {
  if (!function.isOnceDifferentiable) {
    return method(function, "backward", std::move(gradients), &context);
  }
  const bool mayDifferentiate =
      c10::GradMode::is_enabled() && std::any_of(gradients.begin(), gradients.end(), requiresGrad);
  values::Value returned;
  {
    const c10::AutoGradMode noGradients(false);
    returned = method(function, "backward", std::move(gradients), &context);
  }
  return mayDifferentiate ? differentiatedOnce(returned) : returned;
}

} // namespace touchstone::evaluator
