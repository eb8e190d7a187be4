#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/evaluator/FunctionContext.h"
#include "program/evaluator/Hooks.h"

#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <string>
#include <vector>

namespace touchstone::evaluator {

/// A node of autograd's graph that runs the `backward` of a custom function or operator of a Case: with an Evaluator of its own over a
/// copy of the Case, so that it may outlive both. Checks what comes back as `torch/csrc/autograd/python_function.cpp` does.
class FunctionNode final : public RunsWithoutGradient {
 public:
  /// `name`: what autograd shows, without `Backward`; empty: that of the function.
  FunctionNode(std::string function, std::shared_ptr<const OwnedProgram> program, std::string name = {})
      : function_(std::move(function)),
        name_(name.empty() ? function_ : std::move(name)),
        program_(std::move(program)) {
    context.node = this;
  }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override;
  void release_variables() override;
  void release_resources() override;
  std::string name() const override { return name_ + "Backward"; }
  /// It is no part of a compiled backward: apply_with_saved() throws Unsupported.
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override;
  torch::autograd::variable_list apply_with_saved(const torch::autograd::variable_list& gradients,
                                                  torch::dynamo::autograd::SwapSavedVariables& saved) override;

  FunctionContext context;
  std::vector<bool> isTensor; // by argument of the forward
  std::vector<torch::autograd::VariableInfo> outputs; // what zeros stand for a gradient that is missing

 private:
  std::string function_, name_;
  std::shared_ptr<const OwnedProgram> program_;
};

/// What `_wrap_outputs` asks of a function in Python: it has no forward mode, and an argument that it returns is a view of itself.
torch::autograd::variable_list noForwardMode(const torch::autograd::variable_list& inputs,
                                             const torch::autograd::variable_list& gradients);
at::Tensor viewOfItself(const at::Tensor& tensor);

} // namespace touchstone::evaluator
