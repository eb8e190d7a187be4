#pragma once

#include "program/evaluator/Evaluator.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <string>

namespace touchstone::evaluator {

/// The custom operators of a Case as operators of libtorch's dispatcher, see graph/ir/CaseOperators.h. They do what
/// torch/_library/custom_ops.py registers: a kernel that runs the operator's body, one for the meta device that runs its fake, one
/// that counts writes, and one of autograd. Of one that writes there is another that writes to nothing, and returns in one list
/// what the operator returns and then what each written tensor would hold (`ir::kFunctionalSuffix`).
///
/// Made once for all Cases that have the same functions, and kept as long as the process: Graphs name its operators.
class CaseOperators {
 public:
  static const CaseOperators& of(const language::Case& theCase);

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
  explicit CaseOperators(const language::Case& theCase, const std::string& mark);

  std::map<std::string, c10::OperatorHandle> handles_;
  std::vector<c10::RegistrationHandleRAII> registered_;
};

} // namespace touchstone::evaluator
