#pragma once

#include "graph/program/CaseLexer.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::graph {

/// Checks that functions use nothing but the language of case files: known operators, methods and attributes, variables
/// that were assigned before they are read, functions of the file, `data` as it is meant.
class NameChecker {
 public:
  /// Without a Case the text is a fragment: variables and fields of modules may come from elsewhere.
  NameChecker(const SourceText& source, const Case* theCase);

  void checkFunction(const Function& function);
  void checkExpression(const Expr& expr) { check(expr); }
  /// No function calls itself, directly or through others; `inputs…` and `program` are called by CALLS only.
  void checkCallGraph() const;

 private:
  void check(const Expr& expr);
  void checkName(const Expr& name);
  void checkAttribute(const Expr& attribute);
  void checkCall(const Expr& call);
  void checkArguments(const Expr& call, bool takesFunction);
  void checkMethod(const Expr& callee);
  void checkTorchPath(const Expr& expr, const std::vector<std::string>& path, bool isCall);
  void checkData(const Expr& call);
  void checkContext(const Expr& item);
  void checkStatement(const Statement& statement);
  void checkBlock(const std::vector<StatementPtr>& statements);
  void checkTarget(const Expr& target);
  void define(const Expr& name);
  bool isLocal(const std::string& name) const { return locals_.contains(name); }
  bool isField(const std::string& name) const;
  void collectFields(const std::vector<StatementPtr>& statements);
  void collectFields(const Expr& expr);
  [[noreturn]] void fail(const Expr& expr, const std::string& message) const { source_.fail(expr.place, message); }

  const SourceText& source_;
  const Case* case_;
  std::set<std::string> fields_; // of module records
  bool makesModules_ = true; // a fragment may get some from elsewhere
  std::set<std::string> locals_;
  const Function* function_ = nullptr;
};

/// `; did you mean `a`, `b`?` for the nearest of the valid names, or nothing.
std::string suggestion(const std::vector<std::string>& near);
std::vector<std::string> nearestNames(const std::string& name, const std::vector<std::string>& valid);

} // namespace touchstone::graph
