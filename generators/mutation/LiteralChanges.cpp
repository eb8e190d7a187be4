#include "generators/mutation/LiteralChanges.h"

#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

#include <cstdlib>
#include <iterator>

namespace touchstone::mutation {

using language::ExprKind;
using language::ExprPtr;

namespace {

constexpr int64_t kNumbers[] = {0, 1, 2, 3, 4, 5, -1, -2};
constexpr double kFloats[] = {0, 1, -1, 0.5, 2, -0.25, 3, 1e-3};
constexpr const char* kDtypes[] = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "bool", "complex64"};

template <class Table>
auto anyOf(catalogue::Draw& draw, const Table& table) {
  return table[static_cast<size_t>(draw.below(static_cast<int64_t>(std::size(table))))];
}

bool isDtype(const ExprPtr& expr) {
  return expr->kind == ExprKind::kAttribute && parser::isDtypeName(expr->text) && !expr->children.empty() &&
         expr->children[0]->kind == ExprKind::kName && expr->children[0]->text == "torch";
}

bool isLiteral(const ExprPtr& expr) {
  return expr->kind == ExprKind::kInt || expr->kind == ExprKind::kFloat || expr->kind == ExprKind::kTrue ||
         expr->kind == ExprKind::kFalse || isDtype(expr);
}

ExprPtr changed(const ExprPtr& literal, catalogue::Draw& draw) {
  if (literal->kind == ExprKind::kInt) {
    const int64_t value = std::strtoll(literal->text.c_str(), nullptr, 10);
    const int64_t near = draw.chance(50) ? value + 1 : value - 1;
    return language::makeInt(draw.chance(60) ? near : anyOf(draw, kNumbers));
  }
  if (literal->kind == ExprKind::kFloat) {
    const double value = std::strtod(literal->text.c_str(), nullptr);
    return language::makeFloat(draw.chance(40) ? -value : anyOf(draw, kFloats));
  }
  if (isDtype(literal)) {
    return language::makeDotted(std::string("torch.") + anyOf(draw, kDtypes));
  }
  return language::makeBool(literal->kind == ExprKind::kFalse);
}

} // namespace

bool changeLiteral(language::Function& function, catalogue::Draw& draw, bool everywhere) {
  std::vector<ExprPtr> literals;
  language::rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
    if (isLiteral(expr)) {
      literals.push_back(expr);
    }
    return nullptr;
  });
  if (literals.empty()) {
    return false;
  }
  const auto chosen = static_cast<size_t>(draw.below(static_cast<int64_t>(literals.size())));
  const ExprPtr old = literals[chosen];
  const ExprPtr replacement = changed(old, draw);
  size_t number = 0;
  function = language::rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
    if (!isLiteral(expr)) {
      return nullptr;
    }
    const bool isSame = everywhere && old->kind == ExprKind::kInt && language::sameExpr(*expr, *old);
    return number++ == chosen || isSame ? replacement : nullptr;
  });
  return true;
}

} // namespace touchstone::mutation
