#include "base/ExitStatus.h"
#include "harness/conformance/Causes.h"
#include "harness/conformance/ConformanceReport.h"
#include "harness/conformance/Levels.h"
#include "harness/conformance/Pages.h"
#include "oracles/compare/Verdict.h"
#include "program/parser/CaseParser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace touchstone::tests {

namespace {

using conformance::Cause;
using conformance::JudgedProbe;
using conformance::Level;
using conformance::Observation;
using language::Outcome;

worker::BackendResult result(Outcome outcome, const std::string& kind, const std::string& message = "", int call = 0) {
  worker::BackendResult made;
  made.backend = "torch:mine";
  made.outcome = outcome;
  made.text = made.symptom = kind;
  made.shows = {kind};
  made.message = message;
  made.call = call;
  return made;
}

worker::BackendResult raised(const std::string& exceptionClass, const std::string& text) {
  return result(Outcome::kBackendRejected, "BackendRejected/" + exceptionClass,
                "eager returns; compiled raises " + exceptionClass + ": " + text);
}

Observation probe(const std::string& name, const std::string& dtype, worker::BackendResult shown) {
  return {.level = Level::kValues, .result = std::move(shown), .caseText = "…", .operators = {name}, .dtype = dtype};
}

std::vector<JudgedProbe> judgedAll(const std::vector<std::string>& dtypes, int operators) {
  std::vector<JudgedProbe> judged;
  for (const std::string& dtype : dtypes) {
    for (int i = 0; i < operators; ++i) {
      judged.push_back({"operator_" + std::to_string(i), dtype});
    }
  }
  return judged;
}

language::Case theCase(const std::string& calls, const std::string& moreInputs = "") {
  return parser::parseCase(
      "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    return (data((2, 3), torch.float32, (seed, 1), kind),), ()\n\n\n" +
      moreInputs + "def program(x):\n    return torch.relu(x)\n\n\nCALLS = [\n" + calls + "]\n");
}

} // namespace

TEST(ConformanceTest, TextsThatDifferInParticularsAreOneCause) {
  EXPECT_EQ(conformance::withoutParticulars("tidy does not take float64"), "tidy does not take DTYPE");
  EXPECT_EQ(conformance::withoutParticulars("no rule for aten::mm and 'add.Tensor' at /tmp/x/y.mlir:12"),
            conformance::withoutParticulars("no rule for aten::bmm and 'sub.Tensor' at /tmp/z/q.mlir:7"));
  EXPECT_EQ(conformance::withoutParticulars("cannot lower\nat node a"), "cannot lower");
  EXPECT_NE(conformance::withoutParticulars("can't lower a sum, isn't there"),
            conformance::withoutParticulars("can't lower a product, isn't there"));
  EXPECT_LT(conformance::withoutParticulars(std::string(50'000, '"')).size(), 200U);
  EXPECT_NE(conformance::withoutParticulars("no rule for a tensor"),
            conformance::withoutParticulars("no rule for a number"));

  const std::vector<Cause> causes =
      conformance::causesOf({probe("a", "float64", raised("ValueError", "does not take float64")),
                             probe("b", "int8", raised("ValueError", "does not take int8")),
                             probe("c", "int8", raised("TypeError", "does not take int8"))},
                            {});
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].title, "raises: ValueError: does not take DTYPE");
  EXPECT_TRUE(causes[0].isRefusal);
  EXPECT_EQ(causes[0].probes, 2);
  EXPECT_EQ(causes[0].operators, (std::vector<std::string>{"a", "b"}));
}

TEST(ConformanceTest, WrongValuesBelongToTheirOperatorUnlessTheyAreEverywhere) {
  const worker::BackendResult wrong = result(Outcome::kDiffers, "Differs/values");
  std::vector<Observation> seen{probe("operator_0", "float32", wrong), probe("operator_1", "float32", wrong)};
  const auto titles = [&](const std::vector<JudgedProbe>& judged) {
    std::vector<std::string> all;
    for (const Cause& each : conformance::causesOf(seen, judged)) {
      all.push_back(each.title);
    }
    return all;
  };
  EXPECT_EQ(titles(judgedAll({"float32"}, 20)),
            (std::vector<std::string>{"wrong values of operator_0", "wrong values of operator_1"}));
  for (int i = 0; i < 9; ++i) {
    seen.push_back(probe("operator_" + std::to_string(i), "int8", wrong));
  }
  EXPECT_EQ(
      titles(judgedAll({"float32", "int8"}, 20)),
      (std::vector<std::string>{"wrong values with int8", "wrong values of operator_0", "wrong values of operator_1"}));
  EXPECT_EQ(titles(judgedAll({"float32", "int8"}, 10)), std::vector<std::string>{"wrong values"});
}

TEST(ConformanceTest, WhatIsNotOfAnOperatorIsOneCause) {
  const worker::BackendResult strides = result(Outcome::kDiffers, "Differs/strides");
  const worker::BackendResult later =
      result(Outcome::kDiffers, "Differs/values", fmt::format("output 0{}1", compare::kLookedAtAgain));
  const std::vector<Cause> causes =
      conformance::causesOf({probe("a", "float32", strides), probe("b", "float32", strides),
                             probe("c", "float32", later), probe("a", "float32", later)},
                            judgedAll({"float32"}, 20));
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].title, "results of an earlier call change once it is called again");
  EXPECT_EQ(causes[1].title, "other strides");
  EXPECT_EQ(causes[1].operators, (std::vector<std::string>{"a", "b"}));
}

TEST(ConformanceTest, AFindingOfACampaignIsTheCauseThatAProbeHasShown) {
  const worker::BackendResult wrong = result(Outcome::kDiffers, "Differs/values");
  Observation finding{.level = Level::kGradients,
                      .result = wrong,
                      .caseText = "…",
                      .operators = {"clone", "mm", "sin"},
                      .dtype = {},
                      .seen = 4,
                      .isReduced = true};
  const std::vector<Cause> causes =
      conformance::causesOf({probe("sin", "float32", wrong), finding}, judgedAll({"float32"}, 20));
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].title, "wrong values of sin");
  EXPECT_EQ(causes[0].level, Level::kValues);
  EXPECT_EQ(causes[0].probes, 1);
  EXPECT_EQ(causes[0].cases, 4);
  EXPECT_EQ(causes[0].members.front(), 1U) << "what is reduced is shown";
}

TEST(ConformanceTest, ALevelIsThatOfThePropertyAndOfWhatTheCaseTakes) {
  const language::Case plain = theCase("    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs\", seed=1),\n");
  const auto level = [&](const worker::BackendResult& shown, Level campaign = Level::kErrors) {
    return conformance::levelOf(shown, plain, campaign);
  };
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/values")), Level::kValues);
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/strides")), Level::kLayout);
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/input_values")), Level::kMutation);
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/partition")), Level::kAliasing);
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/gradient_values")), Level::kGradients);
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/values", "", 1)), Level::kLaterCalls);
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/values", fmt::format("output 0{}1", compare::kLookedAtAgain))),
            Level::kLaterCalls);
  EXPECT_EQ(level(result(Outcome::kDiffers, "Differs/values"), Level::kSizes), Level::kSizes);
  EXPECT_EQ(level(result(Outcome::kMissingRefusal, "MissingRefusal")), Level::kErrors);
  EXPECT_EQ(level(raised("ValueError", "no")), Level::kValues);
  const language::Case backward = theCase("    dict(inputs=\"inputs\", backward=[0]),\n");
  EXPECT_EQ(conformance::levelOf(raised("ValueError", "no"), backward, Level::kErrors), Level::kGradients);
  EXPECT_EQ(conformance::levelOf(raised("ValueError", "no"), backward, Level::kMutation), Level::kMutation);
  const language::Case sizes =
      theCase("    dict(inputs=\"inputs\"),\n    dict(inputs=\"inputs_larger\"),\n",
              "def inputs_larger(seed, kind):\n    return (data((5, 3), torch.float32, (seed, 1), kind),), ()\n\n\n");
  EXPECT_EQ(conformance::levelOf(result(Outcome::kDiffers, "Differs/values", "", 1), sizes, Level::kErrors),
            Level::kSizes);
}

TEST(ConformanceTest, ALevelThatTheProfileSwitchesOffIsNotAsked) {
  using nlohmann::json;
  for (const conformance::LevelCampaign& each : conformance::levelCampaigns()) {
    const auto open = conformance::profileOf(each, json::object());
    ASSERT_TRUE(open.has_value());
    EXPECT_NO_THROW(worker::readProfile(*open, "the test"));
    const auto withoutGradients = conformance::profileOf(each, json::parse(R"({"features": {"backward": false}})"));
    EXPECT_EQ(withoutGradients.has_value(), each.level != Level::kGradients) << rowOf(each.level).name;
    if (withoutGradients.has_value()) {
      EXPECT_EQ((*withoutGradients)["features"]["backward"], json(false));
    }
  }
}

TEST(ConformanceTest, AFindingOfAnotherDtypeIsNotThatOfADtype) {
  const worker::BackendResult wrong = result(Outcome::kDiffers, "Differs/values");
  std::vector<Observation> seen;
  for (int i = 0; i < 9; ++i) {
    seen.push_back(probe("operator_" + std::to_string(i), "int8", wrong));
  }
  seen.push_back({.result = wrong, .caseText = "data((2,), torch.float32)", .operators = {"operator_1"}});
  EXPECT_EQ(conformance::causesOf(seen, judgedAll({"float32", "int8"}, 20)).size(), 2U);
  seen.back().caseText = "data((2,), torch.int8)";
  EXPECT_EQ(conformance::causesOf(seen, judgedAll({"float32", "int8"}, 20)).size(), 1U);
}

TEST(ConformanceTest, ALevelHoldsByWhatAgreed) {
  using conformance::LevelReport;
  using conformance::LevelVerdict;
  const auto verdict = [](const LevelReport& level, bool isWrong = false, bool isLeftOut = false) {
    return conformance::verdictOf(level, isWrong, isLeftOut);
  };
  EXPECT_EQ(verdict({.cases = 20, .agreed = 20}), LevelVerdict::kHolds);
  EXPECT_EQ(verdict({.cases = 20, .agreed = 19, .refused = 1}), LevelVerdict::kHoldsWhereTaken);
  EXPECT_EQ(verdict({.cases = 20, .agreed = 19}, /*isWrong=*/true), LevelVerdict::kFails);
  EXPECT_EQ(verdict({.cases = 9, .agreed = 9}), LevelVerdict::kNotShown);
  EXPECT_EQ(verdict({.cases = 20, .refused = 15, .notJudged = 5}), LevelVerdict::kRefused);
  EXPECT_EQ(verdict({.cases = 100, .refused = 1}), LevelVerdict::kNotShown) << "99 fail at another level";
  EXPECT_EQ(verdict({}, false, /*isLeftOut=*/true), LevelVerdict::kNotAsked);
  EXPECT_EQ(verdict({.cases = 20, .agreed = 20}, false, true), LevelVerdict::kHolds) << "probes are Cases, too";

  const auto why = [](const LevelReport& level) { return conformance::whyNotShown(level, /*isInterrupted=*/false); };
  EXPECT_NE(why({.cases = 20, .notJudged = 20, .delegations = {{"Undelegated", 20}}}).find("to PyTorch"),
            std::string::npos);
  EXPECT_EQ(why({.cases = 200, .notJudged = 200, .delegations = {{"Undelegated", 1}}}), "no Case was judged");
  EXPECT_NE(why({.cases = 20}).find("fail at another level"), std::string::npos);
  EXPECT_EQ(why({}), "there was no time");
}

TEST(ConformanceTest, FixedSizesAreNotAskedToChange) {
  const nlohmann::json fixed = nlohmann::json::parse(R"({"compile": {"dynamic": false}})");
  for (const conformance::LevelCampaign& each : conformance::levelCampaigns()) {
    EXPECT_EQ(conformance::profileOf(each, fixed).has_value(), each.level != Level::kSizes) << rowOf(each.level).name;
  }
}

TEST(ConformanceTest, AReportSaysWhatHasChanged) {
  conformance::ConformanceReport before{.backend = "torch:mine", .torch = "2.13.0"};
  before.levels = {{.level = Level::kValues, .verdict = conformance::LevelVerdict::kFails},
                   {.level = Level::kGradients, .verdict = conformance::LevelVerdict::kNotAsked}};
  before.causes = {{.id = "11", .title = "wrong values of sin"},
                   {.id = "22", .title = "other strides", .level = Level::kLayout}};
  before.levels[0].causes = {"11"};
  before.operators = {{"sin", "float32", "forward", "wrong", ""}, {"cos", "float32", "forward", "supported", ""}};
  const conformance::ConformanceReport read = conformance::reportFromText(conformance::reportText(before), "a test");
  EXPECT_EQ(conformance::reportText(read), conformance::reportText(before));
  EXPECT_TRUE(conformance::changesSince(before, read).empty());

  conformance::ConformanceReport now = read;
  now.levels[0] = {.level = Level::kValues, .verdict = conformance::LevelVerdict::kHolds};
  now.levels[1].verdict = conformance::LevelVerdict::kHolds; // was not asked: no change
  now.causes = {before.causes[1],
                {.id = "33", .title = "<wrong> | values"},
                {.id = "44", .title = "wrong gradients", .level = Level::kGradients}}; // nobody looked for them before
  now.operators[0].status = "supported";
  const std::vector<std::string> changes = conformance::changesSince(before, now);
  EXPECT_EQ(changes, (std::vector<std::string>{"L0 values: fails → holds", "new: <wrong> | values (L0, 33)",
                                               "not seen again: wrong values of sin (L0, 11)",
                                               "1 of the operators wrong → supported: sin float32 forward"}));

  const conformance::Page page{.report = now, .isCompared = true, .changes = changes};
  EXPECT_NE(conformance::markdownPage(page).find("- L0 values: fails → holds"), std::string::npos);
  EXPECT_NE(conformance::htmlPage(page).find("&lt;wrong&gt; | values"), std::string::npos);
  EXPECT_NE(conformance::csvTable(now).find("cos,float32,forward,supported,"), std::string::npos);
  EXPECT_NE(conformance::junitPage(before).find("failures=\"1\""), std::string::npos);
  EXPECT_THROW(conformance::reportFromText("{}", "a test"), base::WrongUse);
  std::string other = conformance::reportText(before);
  other.replace(other.find("\"schema\": 1"), 11, "\"schema\": 9");
  EXPECT_THROW(conformance::reportFromText(other, "a test"), base::WrongUse);
}

} // namespace touchstone::tests
