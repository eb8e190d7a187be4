#include "program/evaluator/Environment.h"

#include "program/evaluator/FunctionValues.h"

#include <algorithm>

namespace touchstone::evaluator {

Scope scopeOf(const language::Function& function) {
  Scope scope;
  for (const std::string& name : language::boundNames(function)) {
    scope.own.insert(name);
  }
  language::anyStatement(function.body, [&](const language::Statement& statement) {
    if (statement.kind == language::StatementKind::kNonlocal) {
      for (const language::ExprPtr& target : statement.targets) {
        scope.nonlocal.insert(target->text);
      }
    }
    return false;
  });
  scope.free = scope.nonlocal;
  for (const language::StatementPtr& statement : function.body) {
    for (const std::string& name : language::namesRead(*statement)) {
      if (!scope.own.contains(name)) {
        scope.free.insert(name);
      }
    }
  }
  return scope;
}

Scope scopeOfComprehension(const language::Expr& comprehension) {
  Scope scope;
  language::Statement bind{.kind = language::StatementKind::kAssign};
  for (const language::Clause& clause : language::clausesOf(comprehension)) {
    if (clause.target != nullptr) {
      bind.targets = {std::make_shared<const language::Expr>(*clause.target)};
      for (const std::string& name : language::namesWritten(bind)) {
        scope.own.insert(name);
      }
    }
  }
  return scope;
}

const values::Value* Environment::find(const std::string& name) const {
  const auto found = names.find(name);
  if (found != names.end()) {
    return &found->second;
  }
  const bool isOutside = enclosing != nullptr && (scope == nullptr || !scope->own.contains(name));
  return isOutside ? enclosing->find(name) : nullptr;
}

void Environment::set(const std::string& name, values::Value value) {
  const bool isOutside = scope != nullptr && enclosing != nullptr && scope->nonlocal.contains(name);
  (isOutside ? enclosing->ownerOf(name) : this)->names[name] = std::move(value);
}

Environment* Environment::ownerOf(const std::string& name) {
  const bool isOutside = enclosing != nullptr && (scope == nullptr || !scope->own.contains(name));
  return isOutside ? enclosing->ownerOf(name) : this;
}

void Environment::finish() {
  if (captured.empty()) {
    names.clear();
    return;
  }
  std::erase_if(names, [&](const auto& entry) { return !captured.contains(entry.first); });
  // Functions that stand in variables alone, which they hold themselves.
  const auto isHeldHereAlone = [&](const auto& entry) {
    const auto* function = entry.second.template maybe<values::FunctionPtr>();
    const auto* closure = function != nullptr ? dynamic_cast<const Closure*>(function->get()) : nullptr;
    return closure != nullptr && function->use_count() == 1 && closure->parts().enclosing.get() == this;
  };
  if (std::ranges::count_if(names, isHeldHereAlone) + 1 == weak_from_this().use_count()) { // and the call's own
    names.clear();
  }
}

} // namespace touchstone::evaluator
