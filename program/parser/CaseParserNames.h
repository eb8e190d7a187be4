#pragma once

#include "program/parser/CaseLexer.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace touchstone::parser {

/// Checks that functions use nothing but the language of case files: known operators, methods and attributes, variables
/// that were assigned before they are read, functions of the file, `data` as it is meant.
class NameChecker {
 public:
  /// Without a Case the text is a fragment: variables and fields of modules may come from elsewhere.
  NameChecker(const SourceText& source, const language::Case* theCase);

  void checkFunction(const language::Function& function);
  void checkCustomFunction(const language::CustomFunction& function);
  void checkCustomOperator(const language::CustomOperator& made);
  void checkClass(const language::PythonClass& made);
  void checkConstant(const language::Constant& constant);
  void checkExpression(const language::Expr& expr) { check(expr); }
  /// No function calls itself, directly or through others; `inputs…` and `program` are called by CALLS only.
  void checkCallGraph() const;

 private:
  // Expressions: CaseParserNamesOfExpressions.cpp.
  void check(const language::Expr& expr);
  void checkName(const language::Expr& name);
  void checkAttribute(const language::Expr& attribute);
  void checkCall(const language::Expr& call);
  void checkArguments(const language::Expr& call);
  void checkMethod(const language::Expr& callee);
  void checkContextMethod(const language::Expr& callee);
  void checkContextField(const language::Expr& attribute, bool isWritten);
  void checkTorchPath(const language::Expr& expr, const std::vector<std::string>& path, bool isCall);
  void checkData(const language::Expr& call);
  void checkMark(const language::Expr& call);
  void checkBounds(const language::Expr& mark);
  void checkContext(const language::Expr& item);
  void checkStatement(const language::Statement& statement);
  void checkBlock(const std::vector<language::StatementPtr>& statements);
  void checkTarget(const language::Expr& target);
  // What only Python runs: CaseParserPythonNames.cpp.
  void collectMembers();
  void checkMember(const std::string& name, language::Place place) const;
  void checkBase(const language::PythonClass& made, const language::Expr& base);
  void checkField(const language::ClassField& field, bool needsAnnotation);
  void checkDecorators(const std::vector<language::ExprPtr>& decorators, bool ofMethod);
  void checkClassDecorator(const language::Expr& decorator);
  void checkLiteral(const language::Expr& value, const std::string& what);
  void checkNamedTuple(const language::Constant& constant);
  void checkType(const language::Expr& type);
  void checkWord(const language::Expr& call, const std::string& path);
  void checkCompile(const language::Expr& call);
  void checkDisable(const language::Expr& call);
  void checkModulePath(const language::Expr& expr, const std::string& path, bool isCall);
  void checkBuiltin(const language::Expr& call);
  void checkExceptions(const language::Statement& statement);
  bool checkTypeComparison(const language::Expr& comparison);
  bool isSuperMethod(const language::Expr& callee) const;
  bool isPythonValue(const std::string& name) const;
  bool isPythonModule(const std::string& name) const;
  bool isOperator(const std::vector<std::string>& path) const;
  void define(const language::Expr& name);
  void checkParameters(const language::Function& function);
  void checkInner(const language::Function& function);
  void checkLambda(const language::Expr& lambda);
  void checkComprehension(const language::Expr& comprehension);
  void checkNonlocal(const language::Statement& statement);
  void checkAnnotation(const language::Expr& annotation);
  /// The arguments are so many names of functions of the file.
  bool takesFunctionsOfTheFile(const language::Expr& call, size_t count) const;
  bool isFunctionValue(const std::string& name) const;
  bool isLocal(const std::string& name) const { return locals_.contains(name) || enclosing_.contains(name); }
  static bool isDunder(const std::string& name);
  bool isCustomFunction(const std::string& name) const; // without a Case, of the generated family
  bool isFileFunction(const std::string& name) const; // or a custom operator
  bool isContext(const language::Expr& expr) const;
  bool isField(const std::string& name) const;
  void collectFields(const std::vector<language::StatementPtr>& statements);
  void collectFields(const language::Expr& expr);
  [[noreturn]] void fail(const language::Expr& expr, const std::string& message) const {
    source_.fail(expr.place, message);
  }

  const SourceText& source_;
  const language::Case* case_;
  std::set<std::string> fields_; // of module records
  bool makesModules_ = true; // a fragment may get some from elsewhere
  std::set<std::string> members_; // fields, methods and properties of classes
  std::set<std::string> locals_;
  std::set<std::string> enclosing_; // variables of the functions around the one that is checked
  const language::Function* function_ = nullptr;
  bool isMethod_ = false; // `function_` is one of a class
  bool hasContext_ = false; // `function_` is a method with the parameter `ctx`
  std::set<std::string> contextFields_; // that methods of its class assign
  bool isSetup_ = false; // `function_` has the parameters of a `setup_context`
};

/// `; did you mean `a`, `b`?` for the nearest of the valid names, or nothing.
std::string suggestion(const std::vector<std::string>& near);
std::vector<std::string> nearestNames(const std::string& name, const std::set<std::string>& valid);

} // namespace touchstone::parser
