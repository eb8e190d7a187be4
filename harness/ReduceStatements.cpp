#include "harness/ReductionPasses.h"

#include "graph/program/CasePrinter.h"
#include "harness/StatementEditing.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace touchstone::harness {

namespace {

using graph::ExprKind;
using graph::ExprPtr;
using graph::Statement;
using graph::StatementKind;
using graph::StatementPtr;

void collectStatements(const std::vector<StatementPtr>& body, std::vector<StatementPtr>& result) {
  for (const StatementPtr& statement : body) {
    result.push_back(statement);
    collectStatements(statement->body, result);
    collectStatements(statement->orElse, result);
  }
}

bool isReturn(const Statement& statement) {
  return statement.kind == StatementKind::kReturn;
}

// An `inputs` function without an argument or a watched tensor fits its Program no more.
bool keepsReturn(const graph::Function& edited, const graph::Function& before) {
  return !edited.body.empty() &&
         graph::printStatement(*edited.body.back()) == graph::printStatement(*before.body.back());
}

graph::Case withFunction(const graph::Case& theCase, size_t position, graph::Function function) {
  graph::Case result = theCase;
  result.functions[position] = std::move(function);
  return result;
}

// `y, z = f(x, w)` goes, and `x` or `w` takes the place of `y` and `z` everywhere after: what needed them has something.
void proposeForwarding(const graph::Case& theCase, size_t position, const std::vector<StatementPtr>& statements,
                       int number, std::vector<graph::Case>& result) {
  const graph::Function& function = theCase.functions[position];
  const Statement& statement = *statements[static_cast<size_t>(number)];
  if (statement.kind != StatementKind::kAssign) {
    return;
  }
  std::set<std::string> names;
  for (const ExprPtr& target : statement.targets) {
    if (target->kind != ExprKind::kName) {
      return;
    }
    names.insert(target->text);
  }
  std::vector<Fate> fates(statements.size(), Fate::kKeep);
  fates[static_cast<size_t>(number)] = Fate::kDrop;
  for (const std::string& operand : graph::namesRead(*statement.value)) {
    if (operand == "torch" || names.count(operand) != 0 || theCase.find(operand) != nullptr) {
      continue;
    }
    graph::Function edited = function;
    edited.body = editStatements(function.body, fates);
    edited = rewriteExpressions(edited, [&](const ExprPtr& expr) -> ExprPtr {
      return expr->kind == ExprKind::kName && names.count(expr->text) != 0 ? graph::makeName(operand) : nullptr;
    });
    result.push_back(withFunction(theCase, position, std::move(edited)));
  }
}

// `y = x.add_(1)` becomes `x.add_(1)` where nobody reads `y`.
void proposeWithoutName(const graph::Case& theCase, size_t position, const std::vector<StatementPtr>& statements,
                        std::vector<graph::Case>& result) {
  std::set<std::string> read;
  for (const StatementPtr& statement : statements) {
    for (const std::string& name : graph::namesRead(*statement)) {
      read.insert(name);
    }
  }
  for (const StatementPtr& statement : statements) {
    const bool named = statement->kind == StatementKind::kAssign && statement->targets.size() == 1 &&
                       statement->targets[0]->kind == ExprKind::kName;
    if (named && read.count(statement->targets[0]->text) == 0) {
      graph::Function edited = theCase.functions[position];
      edited.body = replaceStatement(edited.body, statement, graph::makeExpressionStatement(statement->value));
      result.push_back(withFunction(theCase, position, std::move(edited)));
    }
  }
}

} // namespace

std::vector<graph::Case> dropStatements(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  for (size_t position = 0; position < theCase.functions.size(); ++position) {
    const graph::Function& function = theCase.functions[position];
    std::vector<StatementPtr> statements;
    collectStatements(function.body, statements);
    const auto count = static_cast<int>(statements.size());
    for (int chunk = count / 2; chunk > 0; chunk /= 2) {
      // From the end: what comes last depends on nobody.
      for (int end = count; end > 0; end -= chunk) {
        std::vector<Fate> fates(statements.size(), Fate::kKeep);
        bool any = false;
        for (int number = std::max(0, end - chunk); number < end; ++number) {
          if (!isReturn(*statements[static_cast<size_t>(number)])) {
            fates[static_cast<size_t>(number)] = Fate::kDrop;
            any = true;
          }
        }
        if (!any) {
          continue;
        }
        graph::Function edited = function;
        edited.body = editStatements(function.body, fates);
        edited = withoutDangling(std::move(edited), function);
        if (!isInputsFunction(function) || keepsReturn(edited, function)) {
          result.push_back(withFunction(theCase, position, std::move(edited)));
        }
      }
    }
    for (int number = count - 1; number >= 0; --number) {
      proposeForwarding(theCase, position, statements, number, result);
    }
    proposeWithoutName(theCase, position, statements, result);
  }
  return result;
}

std::vector<graph::Case> unwrapBlocks(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  for (size_t position = 0; position < theCase.functions.size(); ++position) {
    const graph::Function& function = theCase.functions[position];
    std::vector<StatementPtr> statements;
    collectStatements(function.body, statements);
    for (size_t number = 0; number < statements.size(); ++number) {
      if (statements[number]->body.empty()) {
        continue;
      }
      std::vector<Fate> fates(statements.size(), Fate::kKeep);
      fates[number] = Fate::kUnwrap;
      graph::Function edited = function;
      edited.body = editStatements(function.body, fates);
      result.push_back(withFunction(theCase, position, withoutDangling(std::move(edited), function)));
    }
  }
  return result;
}

} // namespace touchstone::harness
