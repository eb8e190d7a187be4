#pragma once

#include "program/evaluator/Expressions.h"

namespace touchstone::evaluator {

enum class Flow { kNext, kReturn, kBreak, kContinue };

/// What a function of the file is called as.
struct CalledAs {
  std::string name; // for messages; empty: the function's own
  FunctionContext* context = nullptr; // of a method of a custom function, whose first argument stands for it
  const values::ValueList* defaults = nullptr; // of the last parameters; null: literals of the function
  std::shared_ptr<Environment> enclosing = {}; // of a function inside another, with what it binds for itself
  std::shared_ptr<const Scope> scope = {};
};

/// Runs statements and functions of the file.
class Statements {
 public:
  explicit Statements(Evaluator::State& state) : state_(state) {}

  void start(); // of a call from outside: everything is counted anew
  /// From outside any evaluation.
  values::Value run(const language::Function& function, values::ValueList arguments);
  values::Value call(const language::Function& function, CallArguments arguments, const CalledAs& as = {});
  Flow execute(const language::Statement& statement, Frame& frame);
  void assignTo(const std::vector<language::ExprPtr>& targets, values::Value value, Frame& frame);
  void assign(const language::Expr& target, values::Value value, Frame& frame);
  std::unique_ptr<Context> enterItem(const language::Expr& item, Frame& frame); // of a `with`
  const std::vector<ir::FrameSummary>& raisedThrough() const { return raisedThrough_; } // innermost first

 private:
  Flow executeBody(const std::vector<language::StatementPtr>& body, Frame& frame);
  values::ValueList literalDefaults(const language::Function& function);
  Flow executeFor(const language::Statement& statement, Frame& frame);
  Flow executeWith(const language::Statement& statement, size_t item, Frame& frame);
  void executeAugmented(const language::Statement& statement, Frame& frame);
  void unpack(const std::vector<language::ExprPtr>& targets, const values::Value& value, Frame& frame);
  void remove(const language::Expr& target, Frame& frame);

  Evaluator::State& state_;
  std::vector<ir::FrameSummary> raisedThrough_;
};

} // namespace touchstone::evaluator
