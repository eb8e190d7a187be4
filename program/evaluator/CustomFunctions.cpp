#include "program/evaluator/CustomFunctions.h"

#include "program/evaluator/Arguments.h"
#include "program/values/RaiseError.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/ScopeExit.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include <unordered_map>
#include <utility>

// The C++ twins of the class texts in custom_functions.py, statement by statement.

namespace touchstone::evaluator {
namespace custom_functions {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct Identity : torch::autograd::Function<Identity> {
  static Variable forward(AutogradContext*, const Variable& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {g[0]}; }
};

struct Scaled : torch::autograd::Function<Scaled> {
  static Variable forward(AutogradContext*, const Variable& x) { return x * 2; }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {g[0] * 3}; }
};

struct SavesInput : torch::autograd::Function<SavesInput> {
  static Variable forward(AutogradContext* context, const Variable& x) {
    context->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* context, const variable_list& g) {
    const Variable x = context->get_saved_variables()[0];
    return {g[0] * x * 2};
  }
};

struct SavesOutput : torch::autograd::Function<SavesOutput> {
  static Variable forward(AutogradContext* context, const Variable& x) {
    Variable y = x * x;
    context->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& g) {
    const Variable y = context->get_saved_variables()[0];
    return {g[0] * y};
  }
};

// Of the forward that runs on this thread; autograd hands no arguments of that kind through.
thread_local const torch_names::Dispatch* dispatchOfWrites = nullptr;

void doubleInPlace(const Variable& x) {
  static const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::mul_", "Scalar");
  torch::jit::Stack stack{x, 2};
  if (dispatchOfWrites != nullptr && *dispatchOfWrites) {
    (*dispatchOfWrites)(op, stack);
  } else {
    op.callBoxed(stack);
  }
}

struct MarksDirty : torch::autograd::Function<MarksDirty> {
  static Variable forward(AutogradContext* context, const Variable& x) {
    doubleInPlace(x);
    context->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {g[0] * 3}; }
};

struct NonDifferentiable : torch::autograd::Function<NonDifferentiable> {
  static variable_list forward(AutogradContext* context, const Variable& x) {
    Variable y = x * 2;
    Variable z = x + 1;
    context->mark_non_differentiable({z});
    return {y, z};
  }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {g[0] * 3}; }
};

struct ReturnsInput : torch::autograd::Function<ReturnsInput> {
  static Variable forward(AutogradContext*, const Variable& x) { return x; }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {g[0] * 2}; }
};

struct ReturnsView : torch::autograd::Function<ReturnsView> {
  static Variable forward(AutogradContext*, const Variable& x) { return x.transpose(0, -1); }
  static variable_list backward(AutogradContext*, const variable_list& g) { return {g[0].transpose(0, -1) * 2}; }
};

struct TwoInputsTwoOutputs : torch::autograd::Function<TwoInputsTwoOutputs> {
  static variable_list forward(AutogradContext* context, const Variable& a, const Variable& b) {
    context->save_for_backward({a, b});
    return {a * b, a - b};
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Variable& g = gradients[0];
    const Variable& h = gradients[1];
    return {g * saved[1] + h, g * saved[0] - h};
  }
};

struct WritesBuffer : torch::autograd::Function<WritesBuffer> {
  static Variable forward(AutogradContext* context, const Variable& a, const Variable& b) {
    context->saved_data["b"] = b;
    return a * 2;
  }
  static variable_list backward(AutogradContext* context, const variable_list& g) {
    context->saved_data["b"].toTensor().add_(1);
    return {g[0] * 3, Variable()};
  }
};

struct WritesSaved : torch::autograd::Function<WritesSaved> {
  static Variable forward(AutogradContext* context, const Variable& a, const Variable& b) {
    context->save_for_backward({b});
    return a * 2;
  }
  static variable_list backward(AutogradContext* context, const variable_list& g) {
    const Variable b = context->get_saved_variables()[0];
    b.add_(1);
    return {g[0] * b, Variable()};
  }
};

struct TransposesBuffer : torch::autograd::Function<TransposesBuffer> {
  static Variable forward(AutogradContext* context, const Variable& a, const Variable& b) {
    context->saved_data["b"] = b;
    return a * 2;
  }
  static variable_list backward(AutogradContext* context, const variable_list& g) {
    context->saved_data["b"].toTensor().transpose_(0, -1);
    return {g[0] * 3, Variable()};
  }
};

struct WritesTangent : torch::autograd::Function<WritesTangent> {
  static Variable forward(AutogradContext*, const Variable& x) { return x * 2; }
  static variable_list backward(AutogradContext*, const variable_list& g) {
    g[0].mul_(2);
    return {g[0] * 3};
  }
};

struct KeepsNone : torch::autograd::Function<KeepsNone> {
  static variable_list forward(AutogradContext* context, const Variable& x) {
    context->set_materialize_grads(false);
    return {x * 2, x * 3};
  }
  static variable_list backward(AutogradContext*, const variable_list& gradients) {
    const Variable& g = gradients[0];
    const Variable& h = gradients[1];
    if (!g.defined()) {
      return {Variable()};
    }
    return {h.defined() ? g * 2 + h * 3 : g * 2};
  }
};

values::Value resultValue(const Variable& result) {
  return values::Value(result);
}

values::Value resultValue(const variable_list& results) {
  values::ValueList items;
  for (const Variable& result : results) {
    items.push_back(result.defined() ? values::Value(result) : values::Value());
  }
  return values::Value::tuple(std::move(items));
}

template <class T>
values::Value applyOne(const std::vector<at::Tensor>& tensors) {
  return resultValue(T::apply(tensors[0]));
}

template <class T>
values::Value applyTwo(const std::vector<at::Tensor>& tensors) {
  return resultValue(T::apply(tensors[0], tensors[1]));
}

struct Twin {
  size_t inputs;
  values::Value (*apply)(const std::vector<at::Tensor>&);
};

const std::unordered_map<std::string, Twin>& customFunctionTwins() {
  static const std::unordered_map<std::string, Twin> table = {
      {"Identity", {1, applyOne<Identity>}},
      {"Scaled", {1, applyOne<Scaled>}},
      {"SavesInput", {1, applyOne<SavesInput>}},
      {"SavesOutput", {1, applyOne<SavesOutput>}},
      {"MarksDirty", {1, applyOne<MarksDirty>}},
      {"NonDifferentiable", {1, applyOne<NonDifferentiable>}},
      {"ReturnsInput", {1, applyOne<ReturnsInput>}},
      {"ReturnsView", {1, applyOne<ReturnsView>}},
      {"TwoInputsTwoOutputs", {2, applyTwo<TwoInputsTwoOutputs>}},
      {"WritesBuffer", {2, applyTwo<WritesBuffer>}},
      {"WritesSaved", {2, applyTwo<WritesSaved>}},
      {"TransposesBuffer", {2, applyTwo<TransposesBuffer>}},
      {"WritesTangent", {1, applyOne<WritesTangent>}},
      {"KeepsNone", {1, applyOne<KeepsNone>}},
  };
  return table;
}

} // namespace
} // namespace custom_functions

values::Value applyCustomFunction(const std::string& name, const values::ValueList& positional,
                                  const torch_names::KeywordList& keywords, const torch_names::Dispatch& dispatch) {
  const auto& table = custom_functions::customFunctionTwins();
  auto found = table.find(name);
  if (found == table.end()) {
    values::raiseError("AttributeError", "`{}` is not of the family of custom autograd functions.", name);
  }
  if (!keywords.empty()) {
    values::raiseError("TypeError", "{}.apply() takes no keyword arguments", name);
  }
  const custom_functions::Twin& twin = found->second;
  if (positional.size() > twin.inputs) {
    raiseTooMany(name + ".forward", twin.inputs + 1, positional.size() + 1); // `ctx` is one of them
  }
  const std::vector<std::string> parameters =
      twin.inputs == 2 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"x"};
  checkMissing(name + ".forward",
               {parameters.begin() + static_cast<std::ptrdiff_t>(positional.size()), parameters.end()});
  std::vector<at::Tensor> tensors;
  for (const values::Value& argument : positional) {
    if (!argument.isTensor()) {
      values::raiseError("TypeError", "`{}.apply` takes tensors, not {}.", name, argument.typeName());
    }
    tensors.push_back(argument.tensor());
  }
  const torch_names::Dispatch* outer = std::exchange(custom_functions::dispatchOfWrites, &dispatch);
  const auto over = c10::make_scope_exit([outer] { custom_functions::dispatchOfWrites = outer; });
  return twin.apply(tensors);
}

} // namespace touchstone::evaluator
