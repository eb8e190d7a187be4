#include "graph/program/StatementEditing.h"
#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"

#include <cstdlib>
#include <set>
#include <utility>

namespace touchstone::harness {

namespace {

using graph::Expr;
using graph::ExprKind;
using graph::ExprPtr;

constexpr int64_t kLargestShrunk = 1'000'000; // above are seeds and special values, not sizes

/// What could stand in an expression's place: operands of a call, of an operator, the object of a subscript.
std::vector<ExprPtr> operandsOf(const Expr& expr) {
  std::vector<ExprPtr> operands;
  const auto add = [&](const ExprPtr& operand) {
    const bool torch = operand != nullptr && operand->kind == ExprKind::kName && operand->text == "torch";
    if (operand != nullptr && !torch && operand->kind != ExprKind::kStarred) {
      operands.push_back(operand);
    }
  };
  switch (expr.kind) {
    case ExprKind::kCall:
      if (expr.children[0]->kind == ExprKind::kAttribute) {
        const ExprPtr& object = expr.children[0]->children[0];
        if (object->kind != ExprKind::kAttribute) { // `torch.ops.aten.mm.default` has no object
          add(object);
        }
      }
      for (size_t i = 1; i < expr.children.size(); ++i) {
        add(expr.children[i]);
      }
      break;
    case ExprKind::kBinary:
    case ExprKind::kUnary:
    case ExprKind::kConditional:
      for (const ExprPtr& child : expr.children) {
        add(child);
      }
      break;
    case ExprKind::kSubscript: add(expr.children[0]); break;
    default: break;
  }
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

graph::Case replaceInteger(const graph::Case& theCase, int64_t from, int64_t to) {
  graph::Case result = theCase;
  for (graph::Function& function : result.functions) {
    function = rewriteExpressions(function, [&](const ExprPtr& expr) -> ExprPtr {
      const bool hit = expr->kind == ExprKind::kInt && std::strtoll(expr->text.c_str(), nullptr, 10) == from;
      return hit ? graph::makeInt(to) : nullptr;
    });
  }
  return result;
}

} // namespace

std::vector<graph::Case> replaceByOperand(const graph::Case& theCase) {
  std::vector<graph::Case> result;
  for (const size_t position : programFirst(theCase)) {
    // Expressions are numbered in the order in which rewriting meets them.
    std::vector<size_t> operandCounts;
    rewriteExpressions(theCase.functions[position], [&](const ExprPtr& expr) -> ExprPtr {
      operandCounts.push_back(operandsOf(*expr).size());
      return nullptr;
    });
    for (size_t number = operandCounts.size(); number-- > 0;) {
      for (size_t operand = 0; operand < operandCounts[number]; ++operand) {
        size_t met = 0;
        graph::Case candidate = theCase;
        candidate.functions[position] = rewriteExpressions(
            theCase.functions[position],
            [&](const ExprPtr& expr) -> ExprPtr { return met++ == number ? operandsOf(*expr)[operand] : nullptr; });
        result.push_back(std::move(candidate));
      }
    }
  }
  return result;
}

std::vector<graph::Case> shrinkNumbers(const graph::Case& theCase) {
  std::set<int64_t> values;
  for (const graph::Function& function : theCase.functions) {
    rewriteExpressions(function, [&](const ExprPtr& expr) -> ExprPtr {
      collectIntegers(*expr, values);
      return nullptr;
    });
  }
  std::vector<graph::Case> result;
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    for (const int64_t smaller : {int64_t{1}, int64_t{2}, *value / 2, *value - 1}) {
      if (*value > 1 && *value < kLargestShrunk && smaller < *value && smaller > 0) {
        result.push_back(replaceInteger(theCase, *value, smaller));
      }
    }
  }
  return result;
}

} // namespace touchstone::harness
