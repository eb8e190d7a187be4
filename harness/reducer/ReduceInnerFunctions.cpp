#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/StatementEditing.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

// Functions inside others, and lambdas that have a name, become functions of the file, which other passes then inline.

namespace touchstone::reducer {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

/// The function that the statement makes and gives a name, if it does nothing else.
std::optional<language::Function> madeBy(const Statement& statement) {
  if (statement.function) {
    return *statement.function;
  }
  const bool isLambda = statement.kind == StatementKind::kAssign && statement.targets.size() == 1 &&
                        statement.targets[0]->kind == ExprKind::kName && statement.value->kind == ExprKind::kLambda;
  if (!isLambda) {
    return std::nullopt;
  }
  const Expr& lambda = *statement.value;
  language::Function function{.name = statement.targets[0]->text, .parameters = lambda.keywords};
  function.rest = lambda.text;
  function.body = {language::makeReturn(lambda.children[0])};
  function.defaults.assign(lambda.children.begin() + 1, lambda.children.end());
  return function;
}

std::vector<std::string> capturedBy(const language::Function& inner, const language::Function& outer) {
  const std::vector<std::string> own = language::boundNames(inner), around = language::boundNames(outer);
  std::vector<std::string> captured;
  for (const StatementPtr& statement : inner.body) {
    for (const std::string& name : language::namesRead(*statement)) {
      const auto isIn = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, name) != names.end();
      };
      if (isIn(around) && !isIn(own) && !isIn(captured)) {
        captured.push_back(name);
      }
    }
  }
  return captured;
}

bool saysNonlocal(const language::Function& function) {
  return language::anyStatement(function.body,
                                [](const Statement& each) { return each.kind == StatementKind::kNonlocal; });
}

/// The calls of `name` with more arguments and another name; nothing when it is used in another way.
std::optional<language::Function> withCalls(const language::Function& function, const std::string& name,
                                            const std::string& renamed, const std::vector<std::string>& more) {
  size_t reads = 0, calls = 0;
  for (const StatementPtr& statement : function.body) {
    language::forEachNameRead(*statement, [&](const std::string& read) { reads += read == name ? 1 : 0; });
  }
  language::Function edited = rewriteExpressions(function, [&](const ExprPtr& expr) -> ExprPtr {
    const bool isCall = expr->kind == ExprKind::kCall && expr->keywords.empty() &&
                        expr->children[0]->kind == ExprKind::kName && expr->children[0]->text == name;
    if (!isCall) {
      return nullptr;
    }
    ++calls;
    auto call = std::make_shared<Expr>(*expr);
    call->children[0] = language::makeName(renamed);
    for (const std::string& each : more) {
      call->children.push_back(language::makeName(each));
    }
    return call;
  });
  return calls == reads ? std::optional(std::move(edited)) : std::nullopt;
}

std::string freshName(const language::Case& theCase, const std::string& name) {
  std::string fresh = name;
  for (int number = 2; theCase.find(fresh) != nullptr; ++number) {
    fresh = name + "_" + std::to_string(number);
  }
  return fresh;
}

} // namespace

std::vector<language::Case> liftInnerFunctions(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    const language::Function& outer = bodyAt(theCase, position);
    for (const StatementPtr& statement : allStatements(outer)) {
      std::optional<language::Function> inner = madeBy(*statement);
      if (!inner || !inner->rest.empty() || !inner->defaults.empty() || saysNonlocal(*inner)) {
        continue;
      }
      language::Function without = outer;
      without.body = replaceStatements(outer.body, statement, {});
      const std::vector<std::string> captured = capturedBy(*inner, outer);
      const std::string name = freshName(theCase, inner->name + "_");
      if (std::optional<language::Function> edited = withCalls(without, inner->name, name, captured)) {
        inner->name = name;
        inner->parameters.insert(inner->parameters.end(), captured.begin(), captured.end());
        inner->annotations.clear();
        result.push_back(withFunction(theCase, position, std::move(*edited)));
        result.back().functions.push_back(std::move(*inner));
      }
    }
  }
  return result;
}

} // namespace touchstone::reducer
