#pragma once

#include "program/evaluator/Evaluator.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <memory>
#include <string>

namespace touchstone::evaluator {

/// The custom operators of a Case as operators of libtorch's dispatcher, see graph/ir/CaseOperators.h. They do what
/// torch/_library/custom_ops.py registers: a kernel that runs the operator's body, one for the meta device that runs its fake, one
/// that counts writes, and one of autograd. Of one that writes there is another that writes to nothing, and returns in one list
/// what the operator returns and then what each written tensor would hold (`ir::kFunctionalSuffix`).
///
/// The dispatcher takes kilobytes for an operator, and what it is known by is kept in many places: operators are registered once,
/// and are those of one Case after the other. A Case has its own until 64 others have had some of the same schema: a Graph
/// that is older than that must not be called.
class CaseOperators {
 public:
  /// Raises what the dispatcher does where an operator cannot be.
  static std::shared_ptr<const CaseOperators> of(const language::Case& theCase);

  const c10::OperatorHandle& find(const std::string& function) const { return handles_.at(function); }

  /// While it lives, bodies that run on this thread are evaluated with these options, but for what belongs to the caller's own
  /// statements: hooks see what the bodies call, and all is one precision up.
  class CallerScope {
   public:
    explicit CallerScope(const EvaluatorOptions& caller);
    ~CallerScope();
    CallerScope(const CallerScope&) = delete;
    CallerScope& operator=(const CallerScope&) = delete;

   private:
    const EvaluatorOptions* outer_;
  };

 private:
  std::map<std::string, c10::OperatorHandle> handles_; // by the function
};

} // namespace touchstone::evaluator
