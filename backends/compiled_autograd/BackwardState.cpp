#include "backends/compiled_autograd/BackwardState.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <stdexcept>

namespace touchstone::compiled_autograd {

namespace {

using torch::autograd::variable_list;

class StateTensorHook final : public torch::autograd::FunctionPreHook, public CarriesBackwardState {
 public:
  StateTensorHook(size_t position, std::shared_ptr<const BackwardState> state, StateHook hook)
      : CarriesBackwardState(std::move(state)), position_(position), hook_(std::move(hook)) {}

  variable_list operator()(const variable_list& gradients) override {
    variable_list changed = gradients;
    at::Tensor& gradient = changed.at(position_);
    if (gradient.defined()) {
      at::Tensor given = hook_(gradient, backwardState());
      gradient = given.defined() ? std::move(given) : std::move(gradient);
    }
    return changed;
  }

 private:
  size_t position_; // among the gradients that the node gets
  StateHook hook_;
};

} // namespace

const c10::IValue& BackwardState::get(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw std::out_of_range("the forward has left nothing named `" + name + "` for its backward");
  }
  return found->second;
}

void registerHook(const at::Tensor& tensor, std::shared_ptr<const BackwardState> state, StateHook hook) {
  TORCH_CHECK(tensor.requires_grad(), "a hook on the gradient of a tensor that does not require grad");
  auto made =
      std::make_unique<StateTensorHook>(tensor.grad_fn() ? tensor.output_nr() : 0, std::move(state), std::move(hook));
  if (tensor.grad_fn()) {
    tensor.grad_fn()->add_tensor_pre_hook(std::move(made));
  } else {
    torch::autograd::impl::add_hook(tensor, std::move(made));
  }
}

} // namespace touchstone::compiled_autograd
