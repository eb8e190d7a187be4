#include "graph/symbols/Condition.h"
#include "graph/symbols/Expression.h"
#include "tests/graph/SizeExpressions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>
#include <vector>

namespace touchstone::tests {
namespace {

using symbols::Assignment;
using symbols::Condition;
using symbols::Expression;

TEST(ExpressionTest, EqualPolynomialsHaveOneText) {
  EXPECT_EQ((kFirst + 1) * (kFirst - 1), kFirst * kFirst - 1);
  EXPECT_EQ(kSecond * kFirst + kFirst * kSecond, Expression(2) * kFirst * kSecond);
  EXPECT_EQ(kFirst - kFirst, Expression(0));
  EXPECT_NE(kFirst, kSecond);
}

TEST(ExpressionTest, TextIsThatOfPyTorch) {
  EXPECT_EQ((Expression(2) * kFirst + 1).text(), "2*s0 + 1");
  EXPECT_EQ((kSecond + kFirst * kSecond + kFirst * kFirst - 3).text(), "s0**2 + s0*s1 + s1 - 3");
  EXPECT_EQ((Expression(5) - kFirst).text(), "5 - s0");
  EXPECT_EQ((kSecond - kFirst).text(), "-s0 + s1");
  EXPECT_EQ(floorDivision(kFirst + 1, 2).text(), "((s0 + 1)//2)");
  EXPECT_EQ(floorDivision(kFirst, kSecond).text(), "(s0//s1)");
  EXPECT_EQ(remainder(kFirst, 2).text(), "Mod(s0, 2)");
  EXPECT_EQ(minimum(kFirst, 5).text(), "Min(5, s0)");
  EXPECT_EQ(maximum(kSecond, kFirst).text(), "Max(s0, s1)");
}

TEST(ExpressionTest, WhatDividesIsTakenOut) {
  EXPECT_EQ(floorDivision(Expression(2) * kFirst + 4, 2), kFirst + 2);
  EXPECT_EQ(floorDivision(Expression(2) * kFirst + 5, 2), kFirst + 2);
  EXPECT_EQ(floorDivision(kFirst * kSecond, kSecond), kFirst);
  EXPECT_EQ(floorDivision(kFirst - 1, 2) + 1, floorDivision(kFirst + 1, 2));
  EXPECT_EQ(remainder(Expression(6) * kFirst + 7, 3), Expression(1));
  EXPECT_EQ(minimum(kFirst + 1, kFirst), kFirst);
  EXPECT_THROW(floorDivision(kFirst, 0), std::domain_error);
  EXPECT_THROW((void)floorDivision(kFirst, kSecond).at({4, 0}), std::domain_error);
}

TEST(ExpressionTest, WhatExceedsAnIntegerIsAnError) {
  const Expression huge = Expression(INT64_MAX);
  EXPECT_THROW(huge + 1, std::overflow_error);
  EXPECT_THROW(huge * 2, std::overflow_error);
  EXPECT_THROW((void)(kFirst * kFirst).at({INT64_MAX, 0}), std::overflow_error);
}

TEST(ExpressionTest, SymbolsAndConstantsAreTold) {
  EXPECT_EQ(kSecond.symbol(), 1);
  EXPECT_EQ((kSecond + 1).symbol(), std::nullopt);
  EXPECT_EQ((kSecond - kSecond + 3).constant(), 3);
  EXPECT_EQ(floorDivision(kFirst, kSecond).symbols(), (std::set<symbols::Symbol>{0, 1}));
}

int64_t floorOf(int64_t dividend, int64_t divisor) {
  int64_t quotient = dividend / divisor;
  while (quotient * divisor > dividend) {
    --quotient;
  }
  return quotient;
}

/// A random expression beside what it computes, operation by operation, for an assignment.
struct Computed {
  Expression expression;
  int64_t value = 0;
};

RC_GTEST_PROP(ExpressionTest, CanonicalFormsKeepTheValue, ()) {
  const Assignment assignment{*rc::gen::inRange<int64_t>(-6, 20), *rc::gen::inRange<int64_t>(-6, 20)};
  std::vector<Computed> made{
      {kFirst, assignment[0]}, {kSecond, assignment[1]}, {Expression(3), 3}, {Expression(-2), -2}};
  const int steps = *rc::gen::inRange(1, 7);
  for (int i = 0; i < steps; ++i) {
    const Computed a = *rc::gen::elementOf(made), b = *rc::gen::elementOf(made);
    const int64_t divisor = *rc::gen::inRange<int64_t>(1, 6);
    switch (*rc::gen::inRange(0, 7)) {
      case 0: made.push_back({a.expression + b.expression, a.value + b.value}); break;
      case 1: made.push_back({a.expression - b.expression, a.value - b.value}); break;
      case 2: made.push_back({a.expression * b.expression, a.value * b.value}); break;
      case 3: made.push_back({floorDivision(a.expression, divisor), floorOf(a.value, divisor)}); break;
      case 4: made.push_back({remainder(a.expression, divisor), a.value - divisor * floorOf(a.value, divisor)}); break;
      case 5: made.push_back({minimum(a.expression, b.expression), std::min(a.value, b.value)}); break;
      default: made.push_back({maximum(a.expression, b.expression), std::max(a.value, b.value)}); break;
    }
  }
  for (const Computed& each : made) {
    RC_ASSERT(each.expression.at(assignment) == each.value);
  }
}

RC_GTEST_PROP(ExpressionTest, AConditionHoldsAsItWasDecided, ()) {
  const Assignment assignment{*rc::gen::inRange<int64_t>(0, 4), *rc::gen::inRange<int64_t>(0, 4)};
  const int64_t a = assignment[0], b = assignment[1];
  for (const auto& [comparison, holds] : std::vector<std::pair<const char*, bool>>{
           {"==", a == b}, {"!=", a != b}, {"<", a < b}, {"<=", a <= b}, {">", a > b}, {">=", a >= b}}) {
    RC_ASSERT(Condition::of(comparison, kFirst, kSecond, holds).holds(assignment));
    RC_ASSERT(!Condition::of(comparison, kFirst, kSecond, !holds).holds(assignment));
  }
}

TEST(ExpressionTest, ConditionsArePrintedAndSolved) {
  EXPECT_EQ(Condition::of(">", kFirst, 4).text(), "4 < s0");
  EXPECT_EQ(Condition::of(">", kFirst, 4, false).text(), "s0 <= 4");
  EXPECT_EQ(Condition::of("==", kSecond, kFirst + 1).text(), "Eq(s1, s0 + 1)");
  EXPECT_EQ(Condition::of("==", kSecond, kFirst + 1).solved(), 1);
  EXPECT_EQ(Condition::of("==", kSecond * kSecond, kSecond).solved(), -1);
  EXPECT_TRUE(Condition::of("<", kFirst, kFirst + 1).isTautology());
  EXPECT_FALSE(Condition::of("<", kFirst, kSecond).isTautology());
  EXPECT_THROW(Condition::of("is", kFirst, 4), std::invalid_argument);
}

} // namespace
} // namespace touchstone::tests
