#pragma once

#include "graph/program/Value.h"

#include <torch/csrc/autograd/function_hook.h>

#include <functional>
#include <memory>

namespace touchstone::graph {

/// `register_hook` and `register_post_accumulate_grad_hook`.
bool isHookRegistration(const std::string& method);

/// What a Program's hook does with a gradient; false `active` after `handle.remove()`.
struct ProgramHook {
  std::string name; // of the function of the file, for messages
  std::function<Value(const Value& gradient)> call;
  bool active = true;
};

/// A hook on the gradient of a tensor, as autograd runs it. Visible, so that who walks or captures the autograd graph
/// can tell it from others and run it as it is.
class ProgramTensorHook : public torch::autograd::FunctionPreHook {
 public:
  ProgramTensorHook(std::shared_ptr<ProgramHook> hook, size_t position) : hook_(std::move(hook)), position_(position) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override;
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override;

 private:
  std::shared_ptr<ProgramHook> hook_;
  size_t position_;
};

/// Hooks that run after a leaf's `.grad` was written, in order of registration.
class ProgramAccumulateHooks : public torch::autograd::PostAccumulateGradHook {
 public:
  void operator()(const torch::autograd::Variable& tensor) override;
  void add(std::shared_ptr<ProgramHook> hook) { hooks_.push_back(std::move(hook)); }

 private:
  std::vector<std::shared_ptr<ProgramHook>> hooks_;
};

} // namespace touchstone::graph
