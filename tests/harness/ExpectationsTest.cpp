#include "harness/report/Expectations.h"

#include <gtest/gtest.h>

namespace touchstone::harness {

namespace {

BackendResult result(const std::string& text, graph::Outcome outcome) {
  BackendResult result;
  result.backend = "torch:aot_eager";
  result.text = text;
  result.outcome = outcome;
  return result;
}

bool meets(const std::string& expectation, const BackendResult& result) {
  return isMet(graph::parseExpectation("torch:aot_eager " + expectation), result);
}

} // namespace

TEST(ExpectationsTest, ALineMaySayLessThanWhatCameOutButNothingElse) {
  const BackendResult differs = result("Differs/values/call 1 output 0", graph::Outcome::kDiffers);
  EXPECT_TRUE(meets("Differs", differs));
  EXPECT_TRUE(meets("Differs/values", differs));
  EXPECT_TRUE(meets("Differs/values/call 1", differs));
  EXPECT_TRUE(meets("Differs/values/call 1 output 0", differs));
  EXPECT_FALSE(meets("Differs/values/call 1 output 1", differs));
  EXPECT_FALSE(meets("Differs/strides", differs));
  EXPECT_FALSE(meets("Agreed", differs));
  EXPECT_FALSE(meets("Differs/values/call 1", result("Differs/values/call 12 output 0", graph::Outcome::kDiffers)));
}

TEST(ExpectationsTest, WithoutALineAgreedIsExpectedAndSeveralAreAlternatives) {
  graph::Case theCase;
  const BackendResult agreed = result("Agreed", graph::Outcome::kAgreed);
  EXPECT_TRUE(isAnyMet(expectationsFor(theCase, "torch:aot_eager"), agreed));
  theCase.expectations = {graph::parseExpectation("torch:aot_eager Limit/A13"),
                          graph::parseExpectation("torch:aot_eager Differs"),
                          graph::parseExpectation("torch:eager Agreed")};
  EXPECT_FALSE(isAnyMet(expectationsFor(theCase, "torch:aot_eager"), agreed));
  EXPECT_TRUE(isAnyMet(expectationsFor(theCase, "torch:aot_eager"), result("Limit/A13", graph::Outcome::kLimit)));
  EXPECT_EQ(describeExpectations(expectationsFor(theCase, "torch:aot_eager")), "Limit/A13 or Differs");
}

TEST(ExpectationsTest, AnUpstreamFindingMeetsEitherName) {
  BackendResult upstream = result("Differs/strides/call 0 output 0", graph::Outcome::kUpstream);
  upstream.detail = "torch:eager";
  EXPECT_TRUE(meets("Upstream", upstream));
  EXPECT_TRUE(meets("Differs/strides", upstream));
  EXPECT_FALSE(meets("Agreed", upstream));
}

TEST(ExpectationsTest, AResultGivesTheLineThatItMeets) {
  for (const char* text : {"Differs/gradient_values/call 2 leaf 1", "BackendRejected/compile", "Crashed", "Agreed"}) {
    const BackendResult outcome = result(text, graph::parseExpectation(std::string("b ") + text).outcome);
    EXPECT_EQ(expectationOf(outcome).text(), std::string("torch:aot_eager ") + text);
    EXPECT_TRUE(isMet(expectationOf(outcome), outcome));
  }
}

} // namespace touchstone::harness
