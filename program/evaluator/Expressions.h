#pragma once

#include "program/evaluator/Evaluator.h"
#include "program/torch_names/NameResolver.h"

namespace touchstone::evaluator {

/// The variables of one function that is running.
struct Frame {
  const language::Function* function = nullptr; // null: statements that the caller of execute() runs
  Environment* environment = nullptr;
  values::Value returned;
  FunctionContext* context = nullptr; // `ctx`, of a method of a custom function

  const values::Value* find(const std::string& name) const { return environment->find(name); }
};

struct CallArguments {
  values::ValueList positional;
  torch_names::KeywordList keywords;
};

/// Evaluates expressions.
class Expressions {
 public:
  explicit Expressions(Evaluator::State& state) : state_(state) {}

  values::Value evaluate(const language::Expr& expr, Frame& frame, Use use = Use::kWhole);
  values::Value index(const language::Expr& subscript, Frame& frame); // one index, or a tuple of several
  values::Value callValue(const values::Value& called, values::ValueList positional, torch_names::KeywordList keywords);
  CallArguments arguments(const language::Expr& call, Frame& frame, Use use = Use::kWhole);
  /// What `ctx` stands for, when the expression is that and the frame has one; null otherwise.
  static FunctionContext* contextOf(const language::Expr& expr, const Frame& frame);
  [[noreturn]] void raiseUnbound(const std::string& name, const Frame& frame) const;
  /// The function of the file that a call's argument names, of so many; raises TypeError for another call.
  const std::string& functionNamed(const language::Expr& call, size_t argument, size_t count, Frame& frame) const;

 private:
  values::Value evaluateAny(const language::Expr& expr, Frame& frame, Use use);
  values::ValueList items(const language::Expr& container, Frame& frame);
  void appendStarred(const language::Expr& starred, Frame& frame, Use use, const char* notIterable,
                     values::ValueList& items);
  values::Value comprehension(const language::Expr& expr, Frame& frame);
  values::Value binary(const language::Expr& expr, Frame& frame, Use use);
  values::Value call(const language::Expr& call, Frame& frame);
  values::Value callName(const language::Expr& call, Frame& frame);
  values::Value callMethod(const language::Expr& call, Frame& frame);
  values::Value registerHook(const language::Expr& call, const at::Tensor& tensor, Frame& frame);
  values::Value callData(const language::Expr& call, Frame& frame);

  Evaluator::State& state_;
};

} // namespace touchstone::evaluator
