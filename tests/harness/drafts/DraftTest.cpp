#include "harness/drafts/Draft.h"

#include "program/parser/CaseParser.h"

#include <gtest/gtest.h>

namespace touchstone::drafts {
namespace {

constexpr const char* kProgram = R"(# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.relu(x)


CALLS = [
    dict(inputs="inputs", seed=1),
]
)";

AblationRow row(const std::string& setting, const std::string& word) {
  return {setting, {{word, word == "right" ? "" : "call 0 output 0 differs"}}};
}

/// Right up to this backend, wrong from it on.
Drafted wrongFrom(const std::string& first, const std::string& symptom = "Differs/values/output") {
  Drafted drafted{.theCase = parser::parseCase(kProgram),
                  .backend = "inductor",
                  .symptom = {.backend = "torch:inductor", .text = symptom, .origin = {}, .baseOutcome = {}},
                  .testFile = "found_test_fn.py",
                  .testText = "def test_fn(): ...\n",
                  .ablation = {}};
  bool isWrong = false;
  for (const std::string backend : {"eager", "aot_eager", "aot_eager_decomp_partition", "inductor"}) {
    isWrong = isWrong || backend == first;
    drafted.ablation.backends.push_back(row(backend, isWrong ? "wrong" : "right"));
  }
  drafted.ablation.settings = {row("dynamic=False", "wrong"), row("dynamic=True", "wrong")};
  drafted.ablation.same = {.said = "False", .reference = "double precision", .dtypes = {"torch.float32"}};
  return drafted;
}

using Labels = std::vector<std::string>;

TEST(DraftTest, TheWeakestBackendThatShowsItNamesTheComponent) {
  const auto componentOf = [](const std::string& first) { return proposedLabels(wrongFrom(first)).at(1); };
  EXPECT_EQ(componentOf("eager"), "module: dynamo");
  EXPECT_EQ(componentOf("aot_eager"), "module: pt2-dispatcher");
  EXPECT_EQ(componentOf("aot_eager_decomp_partition"), "module: pt2-dispatcher");
  EXPECT_EQ(componentOf("inductor"), "module: inductor");
}

TEST(DraftTest, WhatStaticSizesMendIsAboutDynamicShapes) {
  Drafted drafted = wrongFrom("aot_eager");
  drafted.ablation.settings[0] = row("dynamic=False", "right");
  EXPECT_EQ(proposedLabels(drafted),
            (Labels{"oncall: pt2", "module: dynamic shapes", "module: correctness (silent)", "topic: fuzzer"}));
}

TEST(DraftTest, PriorityFollowsFromHowBadItIs) {
  EXPECT_EQ(proposedPriority(wrongFrom("inductor")), "high: silently wrong");
  EXPECT_EQ(proposedPriority(wrongFrom("inductor", "Crashed")),
            "high: the process dies, hangs, or reads memory that it should not");
  EXPECT_EQ(proposedPriority(wrongFrom("inductor", "Differs/strides/output")), "not high by itself (layout)");
  EXPECT_EQ(proposedLabels(wrongFrom("inductor", "Differs/strides/output")),
            (Labels{"oncall: pt2", "module: inductor", "topic: fuzzer"}));
}

TEST(DraftTest, WhatTheRulesForFuzzersForbidIsSaidAndTakesTheLabelAway) {
  Drafted close = wrongFrom("inductor");
  close.ablation.same.said = "True";
  ASSERT_EQ(reservations(close).size(), 1);
  EXPECT_NE(reservations(close)[0].find("default tolerance"), std::string::npos);
  EXPECT_EQ(proposedLabels(close).back(), "module: correctness (silent)");
  EXPECT_NE(draftText(close).find("**Against filing it**: `same` takes it for equal"), std::string::npos);

  Drafted flaky = wrongFrom("inductor");
  flaky.ablation.backends.back().runs.push_back({"right", ""});
  EXPECT_EQ(reservations(flaky), (Labels{"It does not show in every run of plain Python."}));
  EXPECT_NE(draftText(flaky).find("It shows in 1 of 2 runs"), std::string::npos);

  Drafted indices = wrongFrom("inductor");
  indices.ablation.same.dtypes = {"torch.int64"};
  EXPECT_TRUE(reservations(indices).empty());
  std::string text = kProgram;
  indices.theCase = parser::parseCase(text.replace(text.find("torch.relu(x)"), 13, "torch.argmax(x)"));
  ASSERT_EQ(reservations(indices).size(), 1);
  EXPECT_NE(reservations(indices)[0].find("indices"), std::string::npos);
}

TEST(DraftTest, ARunShowsItThatFailsInTheSameWay) {
  const std::vector<std::string> words = {
      "right", "wrong", "raises", "ends the process (Aborted)", "runs out of time", "ends with exit status 1: "};
  const auto shownBy = [&](const std::string& symptom) {
    std::vector<std::string> shown;
    for (const std::string& word : words) {
      if (shows(wrongFrom("inductor", symptom), {word, ""})) {
        shown.push_back(word);
      }
    }
    return shown;
  };
  EXPECT_EQ(shownBy("Differs/values/output"), (Labels{"wrong"}));
  EXPECT_EQ(shownBy("BackendRejected/compile/TypeError"), (Labels{"wrong", "raises"}));
  EXPECT_EQ(shownBy("Crashed"), (Labels{"ends the process (Aborted)"}));
  EXPECT_EQ(shownBy("TimedOut"), (Labels{"runs out of time"}));
}

TEST(DraftTest, AProcessThatComesToNoAnswerSpeaksAgainstFilingIt) {
  for (const std::string word : {"runs out of time", "raises", "ends with exit status 1: "}) {
    Drafted drafted = wrongFrom("inductor");
    drafted.ablation.backends.back() = row("inductor", word);
    EXPECT_EQ(reservations(drafted), (Labels{"It does not show in every run of plain Python."})) << word;
    EXPECT_EQ(proposedLabels(drafted), (Labels{"oncall: pt2", "module: correctness (silent)"})) << word;
  }
}

TEST(DraftTest, TheTextSaysWhoWroteItAndHasAllThatTheFormAsksFor) {
  Drafted drafted = wrongFrom("inductor");
  drafted.testText = "```\n";
  drafted.ablation.bisected = "BisectionResult(backend='inductor')";
  drafted.ablation.environment = "PyTorch version: 2.13.0";
  const std::string text = draftText(drafted);
  EXPECT_TRUE(text.starts_with("> **Drafted by a machine"));
  for (const char* part :
       {"### 🐛 Describe the bug", "### Error logs", "### Versions", "#### Ablation", "return torch.relu(x)",
        "| `aot_eager` | right |", "| `inductor` | wrong |", "| `dynamic=True` | wrong |",
        "default tolerance: **False**", "CompilerBisector: `BisectionResult(backend='inductor')`",
        "PyTorch version: 2.13.0", "````python\n```\n````\n", "call 0 output 0 differs"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

} // namespace
} // namespace touchstone::drafts
