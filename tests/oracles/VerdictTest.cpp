#include "oracles/compare/Verdict.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace touchstone::oracles {
namespace {

CaseVerdict of(graph::Outcome outcome) {
  CaseVerdict verdict;
  verdict.outcome = outcome;
  verdict.call = 1;
  verdict.calls.resize(2);
  verdict.calls[1].outcome = outcome;
  return verdict;
}

TEST(VerdictTest, TextIsTheFormOfExpectations) {
  CaseVerdict differs = of(graph::Outcome::kDiffers);
  differs.calls[1].property = graph::Property::kGradientValues;
  differs.calls[1].where = "leaf 2";
  EXPECT_EQ(differs.text(), "Differs/gradient_values/call 1 leaf 2");
  EXPECT_EQ(differs.symptom(), "Differs/gradient_values/leaf 2");

  CaseVerdict rejected = of(graph::Outcome::kBackendRejected);
  rejected.calls[1].detail = "compile";
  rejected.calls[1].exceptionClass = "ValueError";
  EXPECT_EQ(rejected.text(), "BackendRejected/compile");
  EXPECT_EQ(rejected.symptom(), "BackendRejected/compile/ValueError");

  CaseVerdict limit = of(graph::Outcome::kLimit);
  limit.calls[1].detail = "A8";
  EXPECT_EQ(limit.text(), "Limit/A8");

  CaseVerdict unsupported = of(graph::Outcome::kUnsupported);
  unsupported.calls[1].detail = "no complex numbers";
  EXPECT_EQ(unsupported.text(), "Unsupported");
  EXPECT_EQ(of(graph::Outcome::kAgreed).text(), "Agreed");
}

CaseVerdict differing(std::vector<Difference> first, std::vector<Difference> second) {
  CaseVerdict verdict;
  verdict.calls.resize(2);
  verdict.calls[0].setDifferences(std::move(first));
  verdict.calls[1].setDifferences(std::move(second));
  verdict.settle();
  return verdict;
}

const Difference kValues{graph::Property::kValues, "output 0", "0 and 1"};
const Difference kOtherValues{graph::Property::kValues, "output 1", "0 and 100"};
const Difference kStrides{graph::Property::kStrides, "output 0", "[2, 1] and [1, 2]"};

TEST(VerdictTest, DifferencesAreNamedInTheContractsOrder) {
  const CaseVerdict verdict = differing({kStrides, kOtherValues, kValues}, {});
  EXPECT_EQ(verdict.text(), "Differs/values/call 0 output 1");
  EXPECT_EQ(verdict.worst().message, "0 and 100");
  EXPECT_EQ(verdict.worst().alsoDiffers, std::vector<graph::Property>{graph::Property::kStrides});
}

TEST(VerdictTest, WhatTheBaseShowsTooIsTakenOutAndTheRestStays) {
  const CaseVerdict mine = differing({kValues, kOtherValues}, {kStrides});
  EXPECT_EQ(beyond(mine, differing({kValues}, {})).text(), "Differs/values/call 0 output 1");
  EXPECT_EQ(beyond(mine, differing({kValues, kOtherValues}, {})).text(), "Differs/strides/call 1 output 0");
  EXPECT_EQ(beyond(mine, mine).outcome, graph::Outcome::kAgreed);
  EXPECT_EQ(beyond(mine, differing({kStrides}, {kValues})).text(), mine.text()) << "another call, another bug";
}

TEST(VerdictTest, ARefusalIsTheBasesWhenItIsTheSame) {
  CaseVerdict mine = of(graph::Outcome::kBackendRejected);
  mine.calls[1].detail = "compile";
  mine.calls[1].exceptionClass = "ValueError";
  CaseVerdict base = mine;
  EXPECT_EQ(beyond(mine, base).outcome, graph::Outcome::kAgreed);
  base.calls[1].exceptionClass = "KeyError";
  EXPECT_EQ(beyond(mine, base).text(), mine.text());
  EXPECT_EQ(beyond(differing({kValues}, {kStrides}), base).text(), "Differs/values/call 0 output 0");
}

} // namespace
} // namespace touchstone::oracles
