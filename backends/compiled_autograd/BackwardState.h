#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace touchstone::compiled_autograd {

/// What a forward leaves for the hooks of its backward, by name: the role of torch.fx.experimental._backward_state. Made empty
/// before the forward, and filled in by it; hooks may be registered before it is full.
class BackwardState {
 public:
  void set(const std::string& name, c10::IValue value) { values_[name] = std::move(value); }
  /// Throws std::out_of_range with the name where no forward has set it.
  const c10::IValue& get(const std::string& name) const;

 private:
  std::map<std::string, c10::IValue> values_;
};

/// A hook of any kind (FunctionPreHook, FunctionPostHook, PostAccumulateGradHook) that also derives from this says which state it is
/// called with: a captured Graph then has the state as an element of `hooks`, right behind the hook, and hands it to the call. A backward
/// that replays the Graph hands over the state of its own forward.
class CarriesBackwardState {
 public:
  explicit CarriesBackwardState(std::shared_ptr<const BackwardState> state) : state_(std::move(state)) {}
  virtual ~CarriesBackwardState() = default;
  CarriesBackwardState(const CarriesBackwardState&) = delete;
  CarriesBackwardState& operator=(const CarriesBackwardState&) = delete;
  const BackwardState& backwardState() const { return *state_; }

 private:
  std::shared_ptr<const BackwardState> state_;
};

/// What it returns takes the place of the gradient; undefined: the gradient stays.
using StateHook = std::function<at::Tensor(const at::Tensor& gradient, const BackwardState& state)>;
/// A hook on the gradient of a tensor that requires grad.
void registerHook(const at::Tensor& tensor, std::shared_ptr<const BackwardState> state, StateHook hook);

} // namespace touchstone::compiled_autograd
