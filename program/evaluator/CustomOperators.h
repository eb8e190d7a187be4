#pragma once

#include "program/evaluator/Expressions.h"

#include <memory>

namespace touchstone::evaluator {

struct FunctionContext;
class CaseOperators;

/// Calls the custom operators of a Case, and runs what the file says of them.
class CustomOperators {
 public:
  explicit CustomOperators(Evaluator::State& state) : state_(state) {}

  /// As the Program calls it: an operator to whoever captures, which runs its body.
  values::Value call(const language::CustomOperator& made, const CallArguments& given);
  /// A function of the operator's here and now, by its own defaults.
  values::Value run(const language::Function& function, values::ValueList arguments,
                    FunctionContext* context = nullptr);
  /// What the registered `backward` returns for these gradients, as autograd takes it.
  values::Value backward(const language::CustomOperator& made, values::ValueList gradients, FunctionContext& context);

 private:
  Evaluator::State& state_;
  std::shared_ptr<const CaseOperators> operators_; // when the first is called
};

} // namespace touchstone::evaluator
