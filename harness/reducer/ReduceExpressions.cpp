#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/InputViews.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/analysis/OperatorNames.h"
#include "program/language/StatementEditing.h"

#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

namespace touchstone::reducer {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;

constexpr int64_t kLargestShrunk = 1'000'000; // above are seeds and special values, not sizes

/// What could stand in an expression's place: operands of a call, of an operator, the object of a subscript.
std::vector<ExprPtr> operandsOf(const Expr& expr) {
  std::vector<ExprPtr> operands;
  if (expr.kind == ExprKind::kConditional) {
    operands = expr.children;
  } else if (expr.kind == ExprKind::kSubscript) {
    operands = {expr.children[0]};
  } else if (expr.kind == ExprKind::kComprehension) {
    for (size_t i = language::elementsOf(expr) + 1; i < expr.children.size(); i += 2) {
      operands.push_back(expr.children[i]); // what the first clauses go over
    }
  } else if (const auto operation = analysis::writtenOperation(expr); operation && expr.kind != ExprKind::kAttribute) {
    for (const analysis::WrittenOperation::Operand& each : operation->operands) {
      operands.push_back(each.value);
    }
  }
  std::erase_if(operands, [](const ExprPtr& each) {
    const bool isContext = each->kind == ExprKind::kName && each->text == language::kContextParameter;
    return each->kind == ExprKind::kStarred || isContext;
  });
  return operands;
}

void collectIntegers(const Expr& expr, std::set<int64_t>& values) {
  if (expr.kind == ExprKind::kInt) {
    values.insert(std::strtoll(expr.text.c_str(), nullptr, 10));
  }
  for (const ExprPtr& child : expr.children) {
    if (child != nullptr) {
      collectIntegers(*child, values);
    }
  }
}

language::Case replaceInteger(const language::Case& theCase, int64_t from, int64_t to) {
  language::Case result = theCase;
  for (const size_t position : bodyPositions(theCase)) {
    const auto changed = [&](const ExprPtr& expr) -> language::ExprPtr {
      const bool hit = expr->kind == ExprKind::kInt && std::strtoll(expr->text.c_str(), nullptr, 10) == from;
      return hit ? language::makeInt(to) : nullptr;
    };
    result = withFunction(result, position, rewriteExpressions(bodyAt(theCase, position), changed));
  }
  return result;
}

bool isMethodOfValue(const Expr& callee) {
  if (callee.kind != ExprKind::kAttribute || callee.children[0]->kind == ExprKind::kAttribute) {
    return false; // `torch.ops.aten.mm.default`
  }
  return callee.children[0]->kind != ExprKind::kName || callee.children[0]->text != "torch";
}

/// The call with less to it, the list or tuple with an item less, a number nearer to 0.
std::vector<ExprPtr> simplerAttributes(const Expr& expr) {
  std::vector<ExprPtr> result;
  const auto without = [&](size_t child) {
    auto edited = std::make_shared<Expr>(expr);
    edited->children.erase(edited->children.begin() + static_cast<std::ptrdiff_t>(child));
    const size_t positional = expr.children.size() - expr.keywords.size();
    if (child >= positional) {
      edited->keywords.erase(edited->keywords.begin() + static_cast<std::ptrdiff_t>(child - positional));
    }
    result.push_back(std::move(edited));
  };
  switch (expr.kind) {
    case ExprKind::kCall:
      for (size_t child = expr.children.size(); child-- > 2;) {
        without(child);
      }
      if (expr.children.size() == 2 && isMethodOfValue(*expr.children[0])) {
        without(1); // what it is called on stays
      }
      break;
    case ExprKind::kList:
    case ExprKind::kTuple:
      for (size_t child = expr.children.size(); child-- > 0 && expr.children.size() > 1;) {
        without(child);
      }
      break;
    case ExprKind::kInt:
    case ExprKind::kFloat: {
      const double value = std::strtod(expr.text.c_str(), nullptr);
      for (const int64_t number : {0, 1, 2}) {
        if (expr.kind == ExprKind::kFloat || static_cast<double>(number) < value) {
          result.push_back(language::makeInt(number));
        }
      }
      break;
    }
    default: break;
  }
  return result;
}

void append(std::vector<language::Case>& result, std::vector<language::Case> more) {
  std::move(more.begin(), more.end(), std::back_inserter(result));
}

} // namespace

std::vector<language::Case> replaceByOperand(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    append(result, replaceOne(theCase, position, [](const ExprPtr& expr) { return operandsOf(*expr); }));
  }
  return result;
}

std::vector<language::Case> replaceByConstant(const language::Case& theCase) {
  std::vector<ExprPtr> constants{language::makeInt(1)};
  for (const language::Function& function : theCase.functions) {
    rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
      if (makesInputs(function) && isDataCall(*expr) && constants.size() == 1) { // of an input's sizes
        constants.push_back(language::makeCall(language::makeDotted("torch.ones"), {expr->children[1]}));
      }
      return nullptr;
    });
  }
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    if (!makesInputs(bodyAt(theCase, position))) {
      append(result, replaceOne(theCase, position, [&](const ExprPtr& expr) {
               const bool computes = expr->kind == ExprKind::kCall || expr->kind == ExprKind::kBinary ||
                                     expr->kind == ExprKind::kSubscript;
               return computes ? constants : std::vector<ExprPtr>{};
             }));
    }
  }
  return result;
}

std::vector<language::Case> simplifyAttributes(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    if (!makesInputs(bodyAt(theCase, position))) {
      append(result, replaceOne(theCase, position, [](const ExprPtr& expr) { return simplerAttributes(*expr); }));
    }
  }
  return result;
}

std::vector<language::Case> shrinkNumbers(const language::Case& theCase) {
  std::set<int64_t> values;
  for (const language::Function* function : theCase.allBodies()) {
    rewriteExpressions(*function, [&](const ExprPtr& expr) -> language::ExprPtr {
      collectIntegers(*expr, values);
      return nullptr;
    });
  }
  std::vector<language::Case> result;
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    for (const int64_t smaller : {int64_t{1}, int64_t{2}, *value / 2, *value - 1}) {
      if (*value > 1 && *value < kLargestShrunk && smaller < *value && smaller > 0) {
        result.push_back(replaceInteger(theCase, *value, smaller));
      }
    }
  }
  return result;
}

} // namespace touchstone::reducer
