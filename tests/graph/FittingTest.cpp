#include "graph/symbols/Assignments.h"
#include "graph/symbols/Fitting.h"
#include "tests/graph/SizeExpressions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace touchstone::tests {
namespace {

using symbols::Assignment;
using symbols::Condition;
using symbols::Expression;
using symbols::Fitting;

std::vector<int64_t> valuesOf(const Expression& expression, const std::vector<Assignment>& samples) {
  std::vector<int64_t> values;
  for (const Assignment& sample : samples) {
    values.push_back(expression.at(sample));
  }
  return values;
}

/// What kernels make of sizes.
std::vector<Expression> formsOfKernels() {
  return {kFirst,
          kFirst * kSecond,
          kFirst * kSecond * kThird,
          Expression(4) * kFirst * kSecond,
          kFirst + kSecond,
          kFirst - 2,
          Expression(2) * kFirst + 1,
          floorDivision(kFirst - 1, 2) + 1,
          floorDivision(kFirst, 2),
          minimum(kFirst, kSecond),
          minimum(kFirst, 5),
          kFirst * kFirst,
          kFirst + kSecond + kThird,
          (kFirst - 1) * kSecond};
}

TEST(FittingTest, FormsOfKernelsAreFound) {
  for (const Assignment& hints : {Assignment{6, 10, 4}, Assignment{3, 2, 7}, Assignment{8, 4, 5}}) {
    const std::vector<Assignment> samples = symbols::assignmentsLike(hints, 5, {});
    for (const Expression& form : formsOfKernels()) {
      const std::vector<int64_t> values = valuesOf(form, samples);
      Fitting fitting(samples);
      const std::optional<Expression> found = fitting.fit(values);
      ASSERT_TRUE(found) << form.text();
      EXPECT_EQ(*found, form) << hints[0];
    }
  }
}

TEST(FittingTest, WhatWasFoundIsPartOfOthers) {
  const std::vector<Assignment> samples = symbols::assignmentsLike({6, 10}, 5, {});
  const Expression pooled = floorDivision(kFirst - 1, 2);
  const Expression product = (kSecond + 3) * (pooled + 1);
  Fitting fitting(samples);
  EXPECT_EQ(fitting.fit(valuesOf(pooled + 1, samples)), pooled + 1);
  EXPECT_EQ(fitting.fit(valuesOf(kSecond + 3, samples)), kSecond + 3);
  EXPECT_EQ(fitting.fit(valuesOf(product, samples)), product);
}

TEST(FittingTest, WhatFollowsNoFormIsNotFound) {
  Fitting fitting({{3, 4}, {6, 9}, {11, 7}, {2, 5}});
  EXPECT_EQ(fitting.fit({17, 391, 6, 1201}), std::nullopt);
  EXPECT_EQ(fitting.fit({8, 8, 8, 8}), Expression(8));
}

TEST(FittingTest, AssignmentsKeepConditions) {
  const std::vector<Condition> conditions{Condition::of("==", kSecond, kFirst + 1), Condition::of("<", kThird, 9)};
  const std::vector<Assignment> assignments = symbols::assignmentsLike({3, 4, 5}, 5, conditions);
  ASSERT_EQ(assignments.size(), 5u);
  EXPECT_EQ(assignments[0], (Assignment{3, 4, 5}));
  for (const Assignment& assignment : assignments) {
    EXPECT_EQ(assignment[1], assignment[0] + 1);
    EXPECT_LT(assignment[2], 9);
  }
  EXPECT_EQ(symbols::assignmentsLike({3}, 4, {Condition::of("==", kFirst, 3)}).size(), 1u);
}

TEST(FittingTest, AssignmentsChangeTheOrderOfSymbols) {
  const std::vector<Assignment> assignments = symbols::assignmentsLike({3, 7}, 4, {});
  EXPECT_TRUE(
      std::any_of(assignments.begin(), assignments.end(), [](const Assignment& each) { return each[0] > each[1]; }));
}

RC_GTEST_PROP(FittingTest, NoTwoSymbolsSeemToHangTogether, ()) {
  constexpr int64_t kOfManyDimensions = 9;
  const auto count = *rc::gen::inRange<size_t>(2, 5);
  const Assignment hints = *rc::gen::unique<Assignment>(count, rc::gen::inRange<int64_t>(2, kOfManyDimensions));
  const std::vector<Assignment> samples = symbols::assignmentsLike(hints, 5, {}, kOfManyDimensions);
  RC_ASSERT(samples.size() == 5u);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < i; ++j) {
      std::set<int64_t> sums, differences;
      for (const Assignment& sample : samples) {
        sums.insert(sample[i] + sample[j]);
        differences.insert(sample[i] - sample[j]);
      }
      RC_ASSERT(sums.size() > 1u);
      RC_ASSERT(differences.size() > 1u);
    }
  }
}

TEST(FittingTest, EachSymbolIsOnceAsSmallAsItMayBe) {
  for (const Assignment& sizes : {Assignment{2, 3}, Assignment{7, 5, 9}}) {
    const std::vector<Assignment> samples = symbols::assignmentsLike(sizes, 8, {});
    for (size_t symbol = 0; symbol < sizes.size(); ++symbol) {
      EXPECT_TRUE(std::ranges::any_of(samples, [&](const Assignment& each) { return each[symbol] == 2; })) << symbol;
    }
  }
}

TEST(FittingTest, WhatMayBeAnotherExpressionIsUnsure) {
  const std::vector<Assignment> samples = symbols::assignmentsLike({6, 10}, 3, {});
  const auto isUnsureOf = [&](const Expression& expression) {
    Fitting fitting(samples);
    fitting.fit(valuesOf(expression, samples));
    return fitting.isUnsure();
  };
  for (const Expression& plain : {kFirst, kFirst * 4, kFirst * kSecond}) {
    EXPECT_FALSE(isUnsureOf(plain)) << plain.text();
  }
  for (const Expression& other : {kFirst + 2, minimum(kFirst, kSecond - 1), kFirst + kSecond}) {
    EXPECT_TRUE(isUnsureOf(other)) << other.text();
  }
  Fitting fitting({{4, 3}, {6, 5}, {8, 7}});
  EXPECT_FALSE(fitting.isUnsure());
  fitting.know(kSecond + 1); // as the first is under these
  EXPECT_TRUE(fitting.isUnsure());
}

TEST(FittingTest, OfTheFirstAssignmentsCandidatesAreTakenAndOthersUnsure) {
  Fitting fitting(symbols::assignmentsLike({6, 10}, 3, {}));
  const Expression sum = kFirst + kSecond;
  fitting.know(sum);
  Fitting two = fitting.ofFirst(2);
  ASSERT_EQ(two.samples().size(), 2u);
  EXPECT_EQ(two.fit(valuesOf(sum, two.samples())), sum);
  EXPECT_FALSE(two.isUnsure());
  two.fit(valuesOf(kFirst - 3, two.samples()));
  EXPECT_TRUE(two.isUnsure());
}

RC_GTEST_PROP(FittingTest, WhatIsFoundHoldsForOtherSizes, ()) {
  Assignment hints{*rc::gen::inRange<int64_t>(2, 6)}; // no two are equal: they would be one symbol
  for (int i = 0; i < 2; ++i) {
    hints.push_back(hints.back() + *rc::gen::inRange<int64_t>(1, 5));
  }
  std::swap(hints[0], hints[*rc::gen::inRange<size_t>(0, 3)]);
  std::vector<Expression> forms = formsOfKernels();
  std::erase(forms, minimum(kFirst, 5)); // which no sample may show
  const Expression form = *rc::gen::elementOf(forms);
  const std::vector<Assignment> samples = symbols::assignmentsLike(hints, 5, {});
  Fitting fitting(samples);
  const std::optional<Expression> found = fitting.fit(valuesOf(form, samples));
  RC_ASSERT(found.has_value());
  Assignment other;
  for (int i = 0; i < 3; ++i) {
    other.push_back(*rc::gen::inRange<int64_t>(2, 40));
  }
  RC_ASSERT(found->at(other) == form.at(other));
}

} // namespace
} // namespace touchstone::tests
