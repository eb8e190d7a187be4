#include "oracles/Verdict.h"

#include <gtest/gtest.h>

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

} // namespace
} // namespace touchstone::oracles
