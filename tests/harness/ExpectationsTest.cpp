#include "harness/report/Expectations.h"

#include <gtest/gtest.h>

namespace touchstone::tests {

namespace {

worker::BackendResult result(const std::string& text, language::Outcome outcome) {
  worker::BackendResult result;
  result.backend = "torch:aot_eager";
  result.text = text;
  result.outcome = outcome;
  return result;
}

bool meets(const std::string& expectation, const worker::BackendResult& result) {
  return report::isMet(language::parseExpectation("torch:aot_eager " + expectation), result);
}

} // namespace

TEST(ExpectationsTest, ALineMaySayLessThanWhatCameOutButNothingElse) {
  const worker::BackendResult differs = result("Differs/values/call 1 output 0", language::Outcome::kDiffers);
  EXPECT_TRUE(meets("Differs", differs));
  EXPECT_TRUE(meets("Differs/values", differs));
  EXPECT_TRUE(meets("Differs/values/call 1", differs));
  EXPECT_TRUE(meets("Differs/values/call 1 output 0", differs));
  EXPECT_FALSE(meets("Differs/values/call 1 output 1", differs));
  EXPECT_FALSE(meets("Differs/strides", differs));
  EXPECT_FALSE(meets("Agreed", differs));
  EXPECT_FALSE(meets("Differs/values/call 1", result("Differs/values/call 12 output 0", language::Outcome::kDiffers)));
}

TEST(ExpectationsTest, WithoutALineAgreedIsExpectedAndSeveralAreAlternatives) {
  language::Case theCase;
  const worker::BackendResult agreed = result("Agreed", language::Outcome::kAgreed);
  EXPECT_TRUE(report::isAnyMet(report::expectationsFor(theCase, "torch:aot_eager"), agreed));
  theCase.expectations = {language::parseExpectation("torch:aot_eager Limit/A13"),
                          language::parseExpectation("torch:aot_eager Differs"),
                          language::parseExpectation("torch:eager Agreed")};
  EXPECT_FALSE(report::isAnyMet(report::expectationsFor(theCase, "torch:aot_eager"), agreed));
  EXPECT_TRUE(report::isAnyMet(report::expectationsFor(theCase, "torch:aot_eager"),
                               result("Limit/A13", language::Outcome::kLimit)));
  EXPECT_EQ(report::describeExpectations(report::expectationsFor(theCase, "torch:aot_eager")), "Limit/A13 or Differs");
}

TEST(ExpectationsTest, AnUpstreamFindingMeetsEitherName) {
  worker::BackendResult upstream = result("Differs/strides/call 0 output 0", language::Outcome::kUpstream);
  upstream.detail = "torch:eager";
  EXPECT_TRUE(meets("Upstream", upstream));
  EXPECT_TRUE(meets("Differs/strides", upstream));
  EXPECT_FALSE(meets("Agreed", upstream));
}

TEST(ExpectationsTest, AResultGivesTheLineThatItMeets) {
  for (const char* text : {"Differs/gradient_values/call 2 leaf 1", "BackendRejected/compile", "Crashed", "Agreed"}) {
    const worker::BackendResult outcome = result(text, language::parseExpectation(std::string("b ") + text).outcome);
    EXPECT_EQ(report::expectationOf(outcome).text(), std::string("torch:aot_eager ") + text);
    EXPECT_TRUE(report::isMet(report::expectationOf(outcome), outcome));
  }
}

} // namespace touchstone::tests
