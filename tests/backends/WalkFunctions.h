#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <stdexcept>

// Functions whose backward does what generated formulas do not.
namespace touchstone::tests {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// No gradient for its first input.
struct HalfDefined : torch::autograd::Function<HalfDefined> {
  static variable_list forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b) {
    return {a * 2, b * 3};
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {at::Tensor(), gradients[1] * 3};
  }
};

/// Hands on undefined gradients as they are.
struct Unmaterialized : torch::autograd::Function<Unmaterialized> {
  static variable_list forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b) {
    context->set_materialize_grads(false);
    return {a * 2, b * 3};
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[1].defined() ? gradients[1] * 5 : at::Tensor(),
            gradients[0].defined() ? gradients[0] * 7 : at::Tensor()};
  }
};

/// Runs the engine inside its backward, as checkpointing does.
struct Reentrant : torch::autograd::Function<Reentrant> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a) {
    context->save_for_backward({a});
    return a.sin();
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor again = context->get_saved_variables()[0].detach().requires_grad_(true);
    at::AutoGradMode gradientMode(true);
    return torch::autograd::grad({again.sin()}, {again}, {gradients[0]});
  }
};

struct Throws : torch::autograd::Function<Throws> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a) { return a * 2; }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    throw std::domain_error("backward of Throws");
  }
};

/// Returns a gradient of another shape than its input.
struct WrongShape : torch::autograd::Function<WrongShape> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a) { return a * 2; }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0].new_ones({7, 5})};
  }
};

/// Returns a gradient that has to be summed to the shape of its input, of another dtype.
struct BroadcastDouble : torch::autograd::Function<BroadcastDouble> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a) { return a * 2; }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    std::vector<int64_t> sizes = gradients[0].sizes().vec();
    sizes.insert(sizes.begin(), 4);
    return {gradients[0].to(at::kDouble).expand(sizes)};
  }
};

} // namespace touchstone::tests
