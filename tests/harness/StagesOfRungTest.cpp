#include "harness/triage/StagesOfRung.h"

#include "harness/triage/Ladder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace touchstone::tests {

namespace {

using StageOutcome = stages::StageRung::Outcome;

stages::StageRung rungOf(const std::string& stage, StageOutcome outcome, std::vector<std::string> unjudged = {}) {
  stages::StageRung rung{.stage = stage, .adds = "adds " + stage, .outcome = outcome};
  rung.judged = outcome == StageOutcome::kHolds || outcome == StageOutcome::kDiffers ? 1 : 0;
  rung.message = outcome == StageOutcome::kDiffers ? "because of " + stage : "";
  rung.unjudged = std::move(unjudged);
  return rung;
}

triage::StagesOfRung stagesOf(StageOutcome tracing, StageOutcome partition, StageOutcome forward,
                              StageOutcome backward) {
  return {.backend = "torch:aot_eager",
          .rungs = {rungOf("tracing", tracing), rungOf("partition", partition), rungOf("forward", forward),
                    rungOf("backward", backward)}};
}

/// A worker whose backends differ from `torch:aot_eager` on, and whose stages are these.
struct StagesWorker {
  std::optional<worker::JudgedStages> stages;
  std::vector<worker::Job> asked;

  worker::JobResult operator()(const worker::Job& job) {
    asked.push_back(worker::batchFromLine(worker::batchLine({{}, {job}})).jobs.at(0));
    worker::JobResult result;
    if (std::holds_alternative<worker::StageRungsTask>(job.task) && stages.has_value()) {
      result.answer = *stages;
      return worker::resultFromLine(worker::resultLine(result));
    }
    for (const std::string& name : job.backends) {
      worker::BackendResult& each = result.backends.emplace_back();
      each.backend = name;
      if (name == "torch:aot_eager") {
        each.outcome = language::Outcome::kDiffers;
        each.shows = {"Differs/values"};
        each.message = "The process died.";
      }
    }
    return result;
  }
};

} // namespace

TEST(StagesOfRungTest, TheFirstThatDoesNotHoldIsGuilty) {
  const triage::StagesOfRung stages =
      stagesOf(StageOutcome::kHolds, StageOutcome::kDiffers, StageOutcome::kHolds, StageOutcome::kDiffers);
  EXPECT_EQ(stages.first(), 1U);
  EXPECT_EQ(triage::guiltyStage(stages), "partition");
  const std::string text = triage::stagesText(stages);
  EXPECT_NE(text.find("\n  partition  Differs     adds partition\n    because of partition\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nFirst stage to go wrong: partition\n"), std::string::npos) << text;
  const nlohmann::json object = triage::stagesJson(stages);
  EXPECT_EQ(object.at("first"), "partition");
  EXPECT_EQ(object.at("rungs").at(3).at("outcome"), "Differs");
}

TEST(StagesOfRungTest, WhatIsLeftIsToldWhereAllHold) {
  triage::StagesOfRung stages =
      stagesOf(StageOutcome::kHolds, StageOutcome::kHolds, StageOutcome::kHolds, StageOutcome::kAbsent);
  EXPECT_EQ(triage::guiltyStage(stages), "the runtime around the graphs");
  stages.rungs[0].unjudged = {"gradients"};
  EXPECT_EQ(triage::guiltyStage(stages), "tracing, or the runtime around the graphs");
  EXPECT_NE(triage::stagesText(stages).find("    not compared: gradients\n"), std::string::npos);
  stages.rungs[1] = rungOf("partition", StageOutcome::kNotJudged, {"the joint graph cannot be taken over"});
  EXPECT_EQ(triage::guiltyStage(stages), "tracing, or partition, or the runtime around the graphs");
  EXPECT_TRUE(triage::stagesJson(stages).at("first").is_null());
  EXPECT_EQ(triage::guiltyStage(
                stagesOf(StageOutcome::kAbsent, StageOutcome::kAbsent, StageOutcome::kAbsent, StageOutcome::kAbsent)),
            "");
}

TEST(StagesOfRungTest, OnlyBackendsOnAOTAutogradAreAsked) {
  StagesWorker worker;
  for (const char* backend : {"aot_eager", "torch:eager", "torch:eager_python"}) {
    EXPECT_FALSE(triage::judgeStagesOf("text", backend, std::ref(worker)).has_value()) << backend;
  }
  EXPECT_TRUE(worker.asked.empty());
  const auto died = triage::judgeStagesOf("text", "torch:aot_eager", std::ref(worker));
  ASSERT_TRUE(died.has_value());
  EXPECT_EQ(died->reason, "The process died.");
  EXPECT_EQ(triage::guiltyStage(*died), "");
  ASSERT_EQ(worker.asked.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<worker::StageRungsTask>(worker.asked[0].task));
}

TEST(StagesOfRungTest, TheLadderAsksForThoseOfTheFirstToDiffer) {
  const triage::StagesOfRung stages =
      stagesOf(StageOutcome::kHolds, StageOutcome::kDiffers, StageOutcome::kHolds, StageOutcome::kHolds);
  StagesWorker worker{.stages = worker::JudgedStages{stages.rungs, ""}};
  triage::Ladder ladder =
      triage::climb("text", triage::ladderTo("torch:aot_eager"), std::ref(worker), triage::Top::kStrongestJudged);
  triage::judgeStages(ladder, "text", std::ref(worker));
  ASSERT_TRUE(ladder.stages.has_value());
  EXPECT_EQ(ladder.stages->rungs, stages.rungs);
  EXPECT_EQ(worker.asked.back().backends, std::vector<std::string>{"torch:aot_eager"});
  EXPECT_NE(triage::ladderText(ladder).find("First stage to go wrong: partition"), std::string::npos);

  triage::Ladder agreed =
      triage::climb("text", triage::ladderTo("torch:eager"), std::ref(worker), triage::Top::kStrongestJudged);
  worker.asked.clear();
  triage::judgeStages(agreed, "text", std::ref(worker));
  EXPECT_TRUE(worker.asked.empty()) << "nothing differs";
}

TEST(StagesOfRungTest, AFindingsStageSaysWhichGraph) {
  StagesWorker worker{
      .stages = worker::JudgedStages{
          stagesOf(StageOutcome::kHolds, StageOutcome::kDiffers, StageOutcome::kHolds, StageOutcome::kHolds).rungs,
          ""}};
  worker::BackendResult finding;
  finding.backend = "torch:aot_eager";
  finding.outcome = language::Outcome::kDiffers;
  finding.shows = {"Differs/values"};
  EXPECT_EQ(triage::stageOf("text", finding, std::ref(worker)).value().adds,
            "the min-cut partition; by its graphs: partition");
  worker.stages = worker::JudgedStages{{}, "cannot be shown"};
  EXPECT_EQ(triage::stageOf("text", finding, std::ref(worker)).value().adds, "the min-cut partition");
}

} // namespace touchstone::tests
