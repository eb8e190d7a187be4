#pragma once

#include "program/evaluator/Expressions.h"

#include <ATen/core/Tensor.h>

#include <memory>
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
  values::Value forward(const language::CustomFunction& function, const values::ValueList& arguments,
                        FunctionContext& context);

  Evaluator::State& state_;
};

} // namespace touchstone::evaluator
