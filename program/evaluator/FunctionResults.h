#pragma once

#include "program/evaluator/FunctionNode.h"

#include <optional>
#include <unordered_set>
#include <vector>

namespace touchstone::evaluator {

bool requiresGrad(const values::Value& value); // a tensor that does

/// What a forward returned, made results of its node, after `torch/csrc/autograd/python_function.cpp`.
class FunctionResults {
 public:
  /// `isExecutable`: a backward may come. `hasSetup`: a `setup_context` ran after the forward.
  FunctionResults(FunctionNode& node, const torch::autograd::variable_list& inputs, const values::Value& returned,
                  bool isExecutable, bool hasSetup);

  values::Value wrapped();

 private:
  using TensorSet = std::unordered_set<at::TensorImpl*>;
  using OptionalVariables = std::vector<std::optional<at::Tensor>>;

  void wrap(const TensorSet& savedBySetup);
  void save(const OptionalVariables& tensors);

  FunctionNode& node_;
  FunctionContext& context_;
  const torch::autograd::variable_list& inputs_;
  bool isExecutable_, hasSetup_, isTuple_ = false;
  values::ValueList values_;
};

} // namespace touchstone::evaluator
