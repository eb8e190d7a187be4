#pragma once

#include "program/evaluator/Watchers.h"

namespace touchstone::evaluator {

/// Registers the functions of a Case as hooks. They may outlive the Case and its Evaluator.
class CaseHooks {
 public:
  CaseHooks(const language::Case& theCase, const EvaluatorOptions& options, const Watchers& watchers)
      : case_(theCase), options_(options), watchers_(watchers) {}

  /// `tensor.METHOD(FUNCTION)`: the handle.
  values::Value add(const at::Tensor& tensor, const std::string& method, const std::string& function);
  /// A function of the Case, by its name; throws RaisedException where there is none.
  const language::Function& function(const std::string& name) const;
  /// The same for calls that may come when the Case is gone.
  std::function<values::Value(values::ValueList)> callable(const std::string& name);
  /// The same with a function as a value.
  values::Value add(const at::Tensor& tensor, const std::string& method, const values::FunctionPtr& function);

 private:
  const language::Case& case_;
  const EvaluatorOptions& options_;
  const Watchers& watchers_;
  std::shared_ptr<struct HookRunner> runner_; // made by the first hook: a copy of the Case and an Evaluator for it
};

} // namespace touchstone::evaluator
