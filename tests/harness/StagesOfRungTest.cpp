#include "harness/triage/StagesOfRung.h"

#include "harness/triage/Ladder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace touchstone::harness {

namespace {

using StageOutcome = oracles::StageRung::Outcome;

oracles::StageRung rungOf(const std::string& stage, StageOutcome outcome, std::vector<std::string> unjudged = {}) {
  oracles::StageRung rung{.stage = stage, .adds = "adds " + stage, .outcome = outcome};
  rung.judged = outcome == StageOutcome::kHolds || outcome == StageOutcome::kDiffers ? 1 : 0;
  rung.message = outcome == StageOutcome::kDiffers ? "because of " + stage : "";
  rung.unjudged = std::move(unjudged);
  return rung;
}

StagesOfRung stagesOf(StageOutcome tracing, StageOutcome partition, StageOutcome forward, StageOutcome backward) {
  return {.backend = "torch:aot_eager",
          .rungs = {rungOf("tracing", tracing), rungOf("partition", partition), rungOf("forward", forward),
                    rungOf("backward", backward)}};
}

/// A worker whose backends differ from `torch:aot_eager` on, and whose stages are these.
struct StagesWorker {
  std::vector<JudgedStages> stages;
  std::vector<Job> asked;

  JobResult operator()(const Job& job) {
    asked.push_back(batchFromLine(batchLine({{}, {job}})).jobs.at(0));
    JobResult result;
    if (job.stageRungs && !stages.empty()) {
      result.stageRungs = stages;
      return resultFromLine(resultLine(result));
    }
    for (const std::string& name : job.backends) {
      BackendResult& each = result.backends.emplace_back();
      each.backend = name;
      if (name == "torch:aot_eager") {
        each.outcome = graph::Outcome::kDiffers;
        each.shows = {"Differs/values"};
        each.message = "The process died.";
      }
    }
    return result;
  }
};

} // namespace

TEST(StagesOfRungTest, TheFirstThatDoesNotHoldIsGuilty) {
  const StagesOfRung stages =
      stagesOf(StageOutcome::kHolds, StageOutcome::kDiffers, StageOutcome::kHolds, StageOutcome::kDiffers);
  EXPECT_EQ(stages.first(), 1U);
  EXPECT_EQ(guiltyStage(stages), "partition");
  const std::string text = stagesText(stages);
  EXPECT_NE(text.find("\n  partition  Differs     adds partition\n    because of partition\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nFirst stage to go wrong: partition\n"), std::string::npos) << text;
  const nlohmann::json object = stagesJson(stages);
  EXPECT_EQ(object.at("first"), "partition");
  EXPECT_EQ(object.at("rungs").at(3).at("outcome"), "Differs");
}

TEST(StagesOfRungTest, WhatIsLeftIsToldWhereAllHold) {
  StagesOfRung stages =
      stagesOf(StageOutcome::kHolds, StageOutcome::kHolds, StageOutcome::kHolds, StageOutcome::kAbsent);
  EXPECT_EQ(guiltyStage(stages), "the runtime around the graphs");
  stages.rungs[0].unjudged = {"gradients"};
  EXPECT_EQ(guiltyStage(stages), "tracing, or the runtime around the graphs");
  EXPECT_NE(stagesText(stages).find("    not compared: gradients\n"), std::string::npos);
  stages.rungs[1] = rungOf("partition", StageOutcome::kNotJudged, {"the joint graph cannot be taken over"});
  EXPECT_EQ(guiltyStage(stages), "tracing, or partition, or the runtime around the graphs");
  EXPECT_TRUE(stagesJson(stages).at("first").is_null());
  EXPECT_EQ(
      guiltyStage(stagesOf(StageOutcome::kAbsent, StageOutcome::kAbsent, StageOutcome::kAbsent, StageOutcome::kAbsent)),
      "");
}

TEST(StagesOfRungTest, OnlyBackendsOnAOTAutogradAreAsked) {
  StagesWorker worker;
  for (const char* backend : {"aot_eager", "torch:eager", "torch:eager_python"}) {
    EXPECT_FALSE(judgeStagesOf("text", backend, std::ref(worker)).has_value()) << backend;
  }
  EXPECT_TRUE(worker.asked.empty());
  const auto died = judgeStagesOf("text", "torch:aot_eager", std::ref(worker));
  ASSERT_TRUE(died.has_value());
  EXPECT_EQ(died->reason, "The process died.");
  EXPECT_EQ(guiltyStage(*died), "");
  ASSERT_EQ(worker.asked.size(), 1U);
  EXPECT_TRUE(worker.asked[0].stageRungs);
}

TEST(StagesOfRungTest, TheLadderAsksForThoseOfTheFirstToDiffer) {
  const StagesOfRung stages =
      stagesOf(StageOutcome::kHolds, StageOutcome::kDiffers, StageOutcome::kHolds, StageOutcome::kHolds);
  StagesWorker worker{.stages = {{stages.rungs, ""}}};
  Ladder ladder = climb("text", ladderTo("torch:aot_eager"), std::ref(worker), Top::kStrongestJudged);
  judgeStages(ladder, "text", std::ref(worker));
  ASSERT_TRUE(ladder.stages.has_value());
  EXPECT_EQ(ladder.stages->rungs, stages.rungs);
  EXPECT_EQ(worker.asked.back().backends, std::vector<std::string>{"torch:aot_eager"});
  EXPECT_NE(ladderText(ladder).find("First stage to go wrong: partition"), std::string::npos);

  Ladder agreed = climb("text", ladderTo("torch:eager"), std::ref(worker), Top::kStrongestJudged);
  worker.asked.clear();
  judgeStages(agreed, "text", std::ref(worker));
  EXPECT_TRUE(worker.asked.empty()) << "nothing differs";
}

TEST(StagesOfRungTest, AFindingsStageSaysWhichGraph) {
  StagesWorker worker{
      .stages = {
          {stagesOf(StageOutcome::kHolds, StageOutcome::kDiffers, StageOutcome::kHolds, StageOutcome::kHolds).rungs,
           ""}}};
  BackendResult finding;
  finding.backend = "torch:aot_eager";
  finding.outcome = graph::Outcome::kDiffers;
  finding.shows = {"Differs/values"};
  EXPECT_EQ(stageOf("text", finding, std::ref(worker)).value().adds, "the min-cut partition; by its graphs: partition");
  worker.stages = {{{}, "cannot be shown"}};
  EXPECT_EQ(stageOf("text", finding, std::ref(worker)).value().adds, "the min-cut partition");
}

} // namespace touchstone::harness
