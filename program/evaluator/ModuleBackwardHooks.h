#pragma once

#include "program/values/Value.h"

#include <torch/csrc/autograd/function.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace touchstone::evaluator {

/// The hooks on the backward of one call of a module: arguments and results go through nodes of autograd's graph that call them,
/// as torch.utils.hooks.BackwardHook has it.
class ModuleBackwardHooks : public std::enable_shared_from_this<ModuleBackwardHooks> {
 public:
  using Call = std::function<values::Value(values::ValueList)>;
  ModuleBackwardHooks(values::Value module, std::vector<Call> hooks, std::vector<Call> preHooks)
      : module_(std::move(module)), hooks_(std::move(hooks)), preHooks_(std::move(preHooks)) {}

  /// What the forward gets.
  values::ValueList inputs(const values::ValueList& positional);
  /// What the call gives.
  values::Value result(const values::Value& returned);

 private:
  using Positions = std::optional<std::vector<size_t>>; // of the tensors; none: no gradient goes through
  using Hook = torch::autograd::variable_list (ModuleBackwardHooks::*)(torch::autograd::variable_list results,
                                                                       const torch::autograd::variable_list& gradients);
  values::ValueList through(const values::ValueList& values, Hook hook, Positions& positions);
  torch::autograd::variable_list behindInputs(torch::autograd::variable_list results,
                                              const torch::autograd::variable_list& gradients);
  torch::autograd::variable_list behindResult(torch::autograd::variable_list results,
                                              const torch::autograd::variable_list& gradients);

  const values::Value module_;
  const std::vector<Call> hooks_, preHooks_;
  values::Value gradOutputs_; // None: no gradient came through the result
  size_t inputCount_ = 0, outputCount_ = 0;
  Positions inputTensors_, outputTensors_;
};

} // namespace touchstone::evaluator
