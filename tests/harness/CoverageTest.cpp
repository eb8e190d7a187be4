#include "harness/campaign/Coverage.h"

#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace touchstone::tests {

namespace {

using features::FeatureKind;

worker::JobResult resultWith(std::vector<uint32_t> features, const std::string& expression = "torch.sin(x)") {
  worker::JobResult result;
  result.answer = worker::JudgeResult{std::move(features)};
  result.caseText = smallCase(expression);
  return result;
}

uint32_t featureNumber(uint64_t number) {
  return features::makeFeature(FeatureKind::kLayout, number);
}

} // namespace

TEST(CoverageTest, WhatIsNewIsCountedByItsKindAndItsCaseKept) {
  campaign::Coverage coverage(/*keepsCases=*/true);
  EXPECT_EQ(coverage.add("a", resultWith({featureNumber(1), featureNumber(2)})), 2U);
  EXPECT_EQ(coverage.add("b", resultWith({featureNumber(2)})), 0U);
  EXPECT_EQ(coverage.kept(), 1U) << "the second showed nothing new";
  worker::JobResult judged = resultWith({});
  judged.backends.emplace_back().backend = "aot_eager";
  const size_t outcomes = coverage.add("c", judged);
  EXPECT_GT(outcomes, 0U);
  EXPECT_EQ(coverage.add("c", judged), 0U);
  judged.backends[0].counters.breaks = 3;
  EXPECT_GT(coverage.add("d", judged), 0U) << "three graph breaks are something else than none";
  EXPECT_EQ(coverage.seenOf(FeatureKind::kLayout), 2);
  EXPECT_EQ(coverage.seen(), static_cast<size_t>(2 + coverage.seenOf(FeatureKind::kOutcome)));
}

TEST(CoverageTest, BothAreBounded) {
  campaign::Coverage coverage(/*keepsCases=*/true);
  for (uint64_t number = 0; number < campaign::Coverage::kMaximumKept + 50; ++number) {
    coverage.add(std::to_string(number), resultWith({featureNumber(number)}, "x + " + std::to_string(number)));
  }
  EXPECT_EQ(coverage.kept(), campaign::Coverage::kMaximumKept);
  std::vector<uint32_t> many;
  for (uint64_t number = 0; number < 2 * campaign::Coverage::kMaximumFeatures; ++number) {
    many.push_back(featureNumber(number));
  }
  coverage.add("many", resultWith(many));
  EXPECT_TRUE(coverage.isFull());
  EXPECT_EQ(coverage.seen(), campaign::Coverage::kMaximumFeatures);
}

TEST(CoverageTest, KeptCasesAreChosenInTurnAndGoOnAfterARestart) {
  campaign::Coverage coverage(/*keepsCases=*/true);
  EXPECT_TRUE(coverage.choose(1, 1).empty()) << "nothing is kept yet";
  for (uint64_t number = 0; number < 30; ++number) {
    coverage.add(std::to_string(number), resultWith({featureNumber(number)}, "x + " + std::to_string(number)));
  }
  std::set<std::string> chosen;
  for (uint64_t index = 0; index < 60; ++index) {
    const std::vector<store::SeedCasePtr> starts = coverage.choose(1, index);
    ASSERT_FALSE(starts.empty());
    ASSERT_LE(starts.size(), 2U);
    chosen.insert(starts[0]->name);
  }
  EXPECT_GT(chosen.size(), 20U) << "the least used go first";
  campaign::Coverage again(/*keepsCases=*/true);
  again.restore(coverage.features(), coverage.keptCases());
  EXPECT_EQ(again.seen(), coverage.seen());
  EXPECT_EQ(again.choose(1, 77)[0]->name, coverage.choose(1, 77)[0]->name);
  EXPECT_EQ(again.add("old", resultWith({featureNumber(3)})), 0U);
}

TEST(CoverageTest, TheShareFollowsWhatPays) {
  campaign::Coverage coverage(/*keepsCases=*/true);
  EXPECT_NEAR(coverage.share(), 0.5, 0.01) << "nothing is known yet";
  uint64_t number = 0;
  for (int turn = 0; turn < 300; ++turn) { // kept ones show something new, the others do not
    coverage.add("kept", resultWith({featureNumber(++number)}), /*wasKept=*/true);
    coverage.add("other", resultWith({}));
  }
  EXPECT_GT(coverage.share(), 0.7);
  for (int turn = 0; turn < 600; ++turn) { // and then the other way round
    coverage.add("kept", resultWith({}), /*wasKept=*/true);
    coverage.add("other", resultWith({featureNumber(++number)}));
  }
  EXPECT_LT(coverage.share(), 0.1);
  EXPECT_GT(coverage.share(), 0.0);
}

TEST(CoverageTest, WithoutFeedbackFeaturesAreCountedAndNothingIsKept) {
  campaign::Coverage coverage(/*keepsCases=*/false);
  EXPECT_EQ(coverage.add("a", resultWith({featureNumber(1)})), 1U);
  EXPECT_EQ(coverage.kept(), 0U);
}

TEST(CoverageTest, ACampaignOfSecondsDerivesFromItsOwnCasesUnlessItIsAShardOrToldNotTo) {
  const TemporaryFolder folder("feedback");
  const auto summaryOf = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"fuzz",  "--seconds",    "4",      "--seed",     "2",          "--backends",
                                       "eager", "--judge-only", "--json", "--findings", folder.path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const BinaryRun run = runBinary(arguments);
    return nlohmann::json::parse(run.output, nullptr, /*allow_exceptions=*/false);
  };
  const nlohmann::json with = summaryOf({});
  EXPECT_GT(with["derived_from_kept"], 0) << with;
  EXPECT_GT(with["features"]["kept_cases"], 0);
  EXPECT_GT(with["features"]["by_kind"]["neighbours"], 100);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--no-feedback"}, {"--shard", "1/2"}}) {
    const nlohmann::json without = summaryOf(more);
    EXPECT_FALSE(without.contains("derived")) << without;
    EXPECT_GT(without["features"]["seen"], 0);
    EXPECT_EQ(without["features"]["kept_cases"], 0);
  }
}

} // namespace touchstone::tests
