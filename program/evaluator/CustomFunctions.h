#pragma once

#include "program/evaluator/Expressions.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::evaluator {

struct FunctionContext;
class FunctionNode;

/// Runs the custom autograd functions of a Case, as `torch.autograd.Function` runs their classes.
class CustomFunctions {
 public:
  explicit CustomFunctions(Evaluator::State& state) : state_(state) {}

  /// `NAME.apply(…)`, made by whoever takes callables if there is someone.
  values::Value apply(const language::CustomFunction& function, const CallArguments& given);
  /// The same here and now.
  values::Value run(const language::CustomFunction& function, const CallArguments& given);
  /// What the class' `backward` returns for these gradients.
  values::Value backward(const language::CustomFunction& function, values::ValueList gradients,
                         FunctionContext& context);

 private:
  values::Value method(const language::CustomFunction& function, const char* name, values::ValueList arguments,
                       FunctionContext* context);
  values::Value runUnderLayers(const language::CustomFunction& function, values::ValueList arguments);
  /// `name`: of the node, before `Backward`.
  values::Value runOnce(const language::CustomFunction& function, const std::string& name,
                        const values::ValueList& arguments,
                        const std::function<values::Value(FunctionContext& context)>& forward);

  Evaluator::State& state_;
};

/// Raises what PyTorch does for an autograd function without `setup_context` while a transform of torch.func runs.
[[noreturn]] void refuseUnderLayers();

} // namespace touchstone::evaluator
