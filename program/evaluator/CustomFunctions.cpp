#include "program/evaluator/CustomFunctions.h"

#include "program/control_flow/Body.h"
#include "program/evaluator/FunctionNode.h"
#include "program/evaluator/FunctionResults.h"
#include "program/evaluator/State.h"
#include "program/language/TraceableBodies.h"
#include "program/semantics/Arguments.h"
#include "program/transforms/Innermost.h"
#include "program/transforms/Layers.h"
#include "program/values/RaiseError.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

#include <algorithm>
#include <utility>

// After `torch/csrc/autograd/python_function.cpp` and `torch/autograd/function.py`.

namespace touchstone::evaluator {

using namespace semantics;

using torch::autograd::variable_list;

namespace {

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

values::Value CustomFunctions::method(const language::CustomFunction& function, const char* name,
                                      values::ValueList arguments, FunctionContext* context) {
  if (context != nullptr) {
    arguments.insert(arguments.begin(), values::Value()); // `ctx`, which no expression can read as a whole
  }
  return state_.statements.call(*function.find(name), {std::move(arguments), {}},
                                {.name = function.name + "." + name, .context = context});
}

values::Value CustomFunctions::apply(const language::CustomFunction& function, const CallArguments& given) {
  if (!state_.watchers.takeCallables()) {
    return run(function, given);
  }
  if (const char* what = language::whatIsNotTraced(state_.theCase, function, state_.watchers.tellsIntegers())) {
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
  values::ValueList arguments = boundArguments(function, given);
  for (values::Value& argument : arguments) {
    argument = argument.isTensor() ? values::Value(at::functorch::unwrapIfDead(argument.tensor())) : argument;
  }
  control_flow::noteCustomFunction(tensorsOf(arguments));
  if (transforms::layersAreActive()) {
    return runUnderLayers(function, std::move(arguments));
  }
  return runOnce(function, function.name, arguments, [&](FunctionContext& context) {
    return function.find("setup_context") == nullptr ? method(function, "forward", arguments, &context)
                                                     : method(function, "forward", arguments, nullptr);
  });
}

void refuseUnderLayers() {
  values::raiseError(
      "RuntimeError",
      "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it "
      "must override the setup_context staticmethod. For more details, please see "
      "https://pytorch.org/docs/main/notes/extending.func.html");
}

// One layer of a transform is one use of the function, whose forward is the use under the layers below
// (`torch/_functorch/autograd_function.py`, custom_function_call_grad).
values::Value CustomFunctions::runUnderLayers(const language::CustomFunction& function, values::ValueList arguments) {
  if (function.find("setup_context") == nullptr) {
    refuseUnderLayers();
  }
  const transforms::Innermost innermost;
  if (innermost.isVmap()) {
    values::raiseError(
        "RuntimeError",
        "You tried to vmap over {}, but it does not have vmap support. Please override and implement the "
        "vmap staticmethod or set generate_vmap_rule=True. For more details, please see "
        "https://pytorch.org/docs/main/notes/extending.func.html",
        function.name);
  }
  for (values::Value& argument : arguments) {
    argument = innermost.lifted(argument);
  }
  return runOnce(function, function.name + "Generated", arguments, [&](FunctionContext&) {
    values::ValueList inner;
    for (const values::Value& argument : arguments) {
      inner.push_back(innermost.unwrapped(argument));
    }
    const c10::AutoGradMode gradients(true);
    const c10::AutoFwGradMode forwardGradients(true);
    values::Value returned;
    {
      const transforms::WithoutInnermost lower(innermost);
      returned = run(function, {inner, {}});
    }
    return innermost.wrapped(returned, inner, arguments);
  });
}

values::Value CustomFunctions::runOnce(const language::CustomFunction& function, const std::string& name,
                                       const values::ValueList& arguments,
                                       const std::function<values::Value(FunctionContext& context)>& forward) {
  const variable_list inputs = tensorsOf(arguments);
  const bool isExecutable =
      c10::GradMode::is_enabled() && std::any_of(arguments.begin(), arguments.end(), requiresGrad);
  const auto node = c10::make_intrusive<FunctionNode>(function.name, state_.functionValues.owned(), name);
  node->set_next_edges(isExecutable ? torch::autograd::collect_next_edges(inputs) : torch::autograd::edge_list());
  node->clear_input_metadata();
  for (const values::Value& argument : arguments) {
    node->isTensor.push_back(argument.isTensor());
    node->context.needsInputGrad.push_back(boolValue(requiresGrad(argument)));
  }
  const bool hasSetup = function.find("setup_context") != nullptr;
  values::Value returned;
  {
    const c10::AutoGradMode noGradients(false);
    const c10::AutoFwGradMode noForwardGradients(false);
    returned = forward(node->context);
    if (hasSetup) {
      method(function, "setup_context", {values::Value::tuple(arguments), returned}, &node->context);
    }
  }
  return FunctionResults(*node, inputs, returned, isExecutable, hasSetup).wrapped();
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
