#include "oracles/compare/Verdict.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace touchstone::tests {
namespace {

compare::CaseVerdict of(language::Outcome outcome) {
  compare::CaseVerdict verdict;
  verdict.outcome = outcome;
  verdict.call = 1;
  verdict.calls.resize(2);
  verdict.calls[1].outcome = outcome;
  return verdict;
}

TEST(VerdictTest, TextIsTheFormOfExpectations) {
  compare::CaseVerdict differs = of(language::Outcome::kDiffers);
  differs.calls[1].property = language::Property::kGradientValues;
  differs.calls[1].where = "leaf 2";
  EXPECT_EQ(differs.text(), "Differs/gradient_values/call 1 leaf 2");
  EXPECT_EQ(differs.symptom(), "Differs/gradient_values/leaf 2");

  compare::CaseVerdict rejected = of(language::Outcome::kBackendRejected);
  rejected.calls[1].detail = "compile";
  rejected.calls[1].exceptionClass = "ValueError";
  EXPECT_EQ(rejected.text(), "BackendRejected/compile");
  EXPECT_EQ(rejected.symptom(), "BackendRejected/compile/ValueError");

  compare::CaseVerdict limit = of(language::Outcome::kLimit);
  limit.calls[1].detail = "A8";
  EXPECT_EQ(limit.text(), "Limit/A8");

  compare::CaseVerdict unsupported = of(language::Outcome::kUnsupported);
  unsupported.calls[1].detail = "no complex numbers";
  EXPECT_EQ(unsupported.text(), "Unsupported");
  EXPECT_EQ(of(language::Outcome::kAgreed).text(), "Agreed");
}

compare::CaseVerdict differing(std::vector<compare::Difference> first, std::vector<compare::Difference> second) {
  compare::CaseVerdict verdict;
  verdict.calls.resize(2);
  verdict.calls[0].setDifferences(std::move(first));
  verdict.calls[1].setDifferences(std::move(second));
  verdict.settle();
  return verdict;
}

const compare::Difference kValues{language::Property::kValues, "output 0", "0 and 1"};
const compare::Difference kOtherValues{language::Property::kValues, "output 1", "0 and 100"};
const compare::Difference kStrides{language::Property::kStrides, "output 0", "[2, 1] and [1, 2]"};

TEST(VerdictTest, DifferencesAreNamedInTheContractsOrder) {
  const compare::CaseVerdict verdict = differing({kStrides, kOtherValues, kValues}, {});
  EXPECT_EQ(verdict.text(), "Differs/values/call 0 output 1");
  EXPECT_EQ(verdict.worst().message, "0 and 100");
  EXPECT_EQ(verdict.worst().alsoDiffers, std::vector<language::Property>{language::Property::kStrides});
}

TEST(VerdictTest, WhatTheBaseShowsTooIsTakenOutAndTheRestStays) {
  const compare::CaseVerdict mine = differing({kValues, kOtherValues}, {kStrides});
  EXPECT_EQ(compare::beyond(mine, differing({kValues}, {})).text(), "Differs/values/call 0 output 1");
  EXPECT_EQ(compare::beyond(mine, differing({kValues, kOtherValues}, {})).text(), "Differs/strides/call 1 output 0");
  EXPECT_EQ(compare::beyond(mine, mine).outcome, language::Outcome::kAgreed);
  EXPECT_EQ(compare::beyond(mine, differing({kStrides}, {kValues})).text(), mine.text()) << "another call, another bug";
}

TEST(VerdictTest, ARefusalIsTheBasesWhenItIsTheSame) {
  compare::CaseVerdict mine = of(language::Outcome::kBackendRejected);
  mine.calls[1].detail = "compile";
  mine.calls[1].exceptionClass = "ValueError";
  compare::CaseVerdict base = mine;
  EXPECT_EQ(compare::beyond(mine, base).outcome, language::Outcome::kAgreed);
  base.calls[1].exceptionClass = "KeyError";
  EXPECT_EQ(compare::beyond(mine, base).text(), mine.text());
  EXPECT_EQ(compare::beyond(differing({kValues}, {kStrides}), base).text(), "Differs/values/call 0 output 0");
}

} // namespace
} // namespace touchstone::tests
