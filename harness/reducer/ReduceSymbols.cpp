#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/InputViews.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/CasePrinter.h"
#include "program/language/StatementEditing.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

// Sizes that a compiler takes as symbols: marks of dimensions, and numbers that stand for one symbol in several inputs.

namespace touchstone::reducer {

namespace {

using language::ExprKind;
using language::ExprPtr;
using language::StatementPtr;

/// `torch._dynamo.mark_dynamic(x, 0)` as text; empty: the statement is none.
std::string markText(const language::Statement& statement) {
  const std::string text =
      statement.kind == language::StatementKind::kExpression ? language::printStatement(statement) : std::string();
  return text.starts_with("torch._dynamo.") && text.find("mark_") != std::string::npos ? text : "";
}

/// Without the marks that are to go; none where there are none.
std::vector<language::Case> withoutMarks(const language::Case& theCase,
                                         const std::function<bool(const std::string& mark)>& goes) {
  language::Case candidate = theCase;
  bool isChanged = false;
  for (language::Function& function : candidate.functions) {
    isChanged = std::erase_if(function.body,
                              [&](const StatementPtr& each) {
                                const std::string mark = markText(*each);
                                return !mark.empty() && goes(mark);
                              }) > 0 ||
                isChanged;
  }
  return isChanged ? std::vector{std::move(candidate)} : std::vector<language::Case>();
}

/// The Case with the number of a size another one in all tuples of one `inputs` function.
language::Case withSize(const language::Case& theCase, size_t position, int64_t before, int64_t after) {
  const auto changed = [&](const ExprPtr& expr) -> ExprPtr {
    const auto numbers = expr->kind == ExprKind::kTuple ? integersOf(*expr) : std::nullopt;
    if (!numbers || std::ranges::find(*numbers, before) == numbers->end()) {
      return nullptr;
    }
    std::vector<int64_t> sizes = *numbers;
    std::ranges::replace(sizes, before, after);
    return tupleOf(sizes);
  };
  return withFunction(theCase, position, rewriteExpressions(theCase.functions[position], changed));
}

} // namespace

std::vector<language::Case> dropMarks(const language::Case& theCase) {
  std::set<std::string> marks;
  for (const language::Function& function : theCase.functions) {
    for (const StatementPtr& statement : function.body) {
      if (const std::string mark = markText(*statement); !mark.empty()) {
        marks.insert(mark);
      }
    }
  }
  std::vector<language::Case> result = withoutMarks(theCase, [](const std::string&) { return true; });
  for (const std::string& each : marks) {
    std::vector<language::Case> without = withoutMarks(theCase, [&](const std::string& mark) { return mark == each; });
    std::move(without.begin(), without.end(), std::back_inserter(result));
  }
  return result;
}

std::vector<language::Case> shrinkSymbols(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (size_t position = 0; position < theCase.functions.size(); ++position) {
    if (!makesInputs(theCase.functions[position])) {
      continue;
    }
    std::set<int64_t> sizes;
    rewriteExpressions(theCase.functions[position], [&](const ExprPtr& expr) -> ExprPtr {
      if (isDataCall(*expr)) {
        const std::vector<int64_t> shape = *integersOf(*expr->children[1]);
        sizes.insert(shape.begin(), shape.end());
      }
      return nullptr;
    });
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
      for (int64_t smaller = 1; smaller < std::min<int64_t>(*size, 5); ++smaller) { // few sizes need more than 4
        result.push_back(withSize(theCase, position, *size, smaller));
      }
    }
  }
  return result;
}

} // namespace touchstone::reducer
