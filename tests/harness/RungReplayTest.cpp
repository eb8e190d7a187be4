#include "harness/triage/RungReplay.h"

#include "harness/triage/Ladder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace touchstone::tests {

namespace {

using ReplayOutcome = stages::ReplayRung::Outcome;

stages::ReplayRung rungOf(const std::string& stage, ReplayOutcome outcome, std::vector<std::string> unjudged = {}) {
  stages::ReplayRung rung{.stage = stage, .adds = "adds " + stage, .outcome = outcome};
  rung.judged = outcome == ReplayOutcome::kHolds || outcome == ReplayOutcome::kDiffers ? 1 : 0;
  rung.message = outcome == ReplayOutcome::kDiffers ? "because of " + stage : "";
  rung.unjudged = std::move(unjudged);
  return rung;
}

triage::RungReplay stagesOf(ReplayOutcome tracing, ReplayOutcome partition, ReplayOutcome forward,
                            ReplayOutcome backward) {
  return {.backend = "torch:aot_eager",
          .rungs = {rungOf("tracing", tracing), rungOf("partition", partition), rungOf("forward", forward),
                    rungOf("backward", backward)}};
}

/// A worker whose backends differ from `torch:aot_eager` on, and whose stages are these.
struct ShowStagesWorker {
  std::optional<worker::ReplayResult> stages;
  std::vector<worker::Job> asked;

  worker::JobResult operator()(const worker::Job& job) {
    asked.push_back(worker::batchFromLine(worker::batchLine({{}, {job}})).jobs.at(0));
    worker::JobResult result;
    if (std::holds_alternative<worker::ReplayTask>(job.task) && stages.has_value()) {
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

TEST(RungReplayTest, TheFirstThatDoesNotHoldIsGuilty) {
  const triage::RungReplay stages =
      stagesOf(ReplayOutcome::kHolds, ReplayOutcome::kDiffers, ReplayOutcome::kHolds, ReplayOutcome::kDiffers);
  EXPECT_EQ(stages.first(), 1U);
  EXPECT_EQ(triage::guiltyStage(stages), "partition");
  const std::string text = triage::replayText(stages);
  EXPECT_NE(text.find("\n  partition  Differs     adds partition\n    because of partition\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nFirst stage to go wrong: partition\n"), std::string::npos) << text;
  const nlohmann::json object = triage::replayJson(stages);
  EXPECT_EQ(object.at("first"), "partition");
  EXPECT_EQ(object.at("rungs").at(3).at("outcome"), "Differs");
}

TEST(RungReplayTest, WhatIsLeftIsToldWhereAllHold) {
  triage::RungReplay stages =
      stagesOf(ReplayOutcome::kHolds, ReplayOutcome::kHolds, ReplayOutcome::kHolds, ReplayOutcome::kAbsent);
  EXPECT_EQ(triage::guiltyStage(stages), "the runtime around the graphs");
  stages.rungs[0].unjudged = {"gradients"};
  EXPECT_EQ(triage::guiltyStage(stages), "tracing, or the runtime around the graphs");
  EXPECT_NE(triage::replayText(stages).find("    not compared: gradients\n"), std::string::npos);
  stages.rungs[1] = rungOf("partition", ReplayOutcome::kNotJudged, {"the joint graph cannot be taken over"});
  EXPECT_EQ(triage::guiltyStage(stages), "tracing, or partition, or the runtime around the graphs");
  EXPECT_TRUE(triage::replayJson(stages).at("first").is_null());
  EXPECT_EQ(triage::guiltyStage(stagesOf(ReplayOutcome::kAbsent, ReplayOutcome::kAbsent, ReplayOutcome::kAbsent,
                                         ReplayOutcome::kAbsent)),
            "");
}

TEST(RungReplayTest, OnlyBackendsOnAOTAutogradAreAsked) {
  ShowStagesWorker worker;
  for (const char* backend : {"aot_eager", "torch:eager", "torch:eager_python"}) {
    EXPECT_FALSE(triage::replayStagesOf("text", backend, std::ref(worker)).has_value()) << backend;
  }
  EXPECT_TRUE(worker.asked.empty());
  const auto died = triage::replayStagesOf("text", "torch:aot_eager", std::ref(worker));
  ASSERT_TRUE(died.has_value());
  EXPECT_EQ(died->reason, "The process died.");
  EXPECT_EQ(triage::guiltyStage(*died), "");
  ASSERT_EQ(worker.asked.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<worker::ReplayTask>(worker.asked[0].task));
}

TEST(RungReplayTest, TheLadderAsksForThoseOfTheFirstToDiffer) {
  const triage::RungReplay stages =
      stagesOf(ReplayOutcome::kHolds, ReplayOutcome::kDiffers, ReplayOutcome::kHolds, ReplayOutcome::kHolds);
  ShowStagesWorker worker{.stages = worker::ReplayResult{stages.rungs, ""}};
  triage::Ladder ladder =
      triage::climb("text", triage::ladderTo("torch:aot_eager"), std::ref(worker), triage::Top::kStrongestJudged);
  triage::judgeReplays(ladder, "text", std::ref(worker));
  ASSERT_TRUE(ladder.stages.has_value());
  EXPECT_EQ(ladder.stages->rungs, stages.rungs);
  EXPECT_EQ(worker.asked.back().backends, std::vector<std::string>{"torch:aot_eager"});
  EXPECT_NE(triage::ladderText(ladder).find("First stage to go wrong: partition"), std::string::npos);

  triage::Ladder agreed =
      triage::climb("text", triage::ladderTo("torch:eager"), std::ref(worker), triage::Top::kStrongestJudged);
  worker.asked.clear();
  triage::judgeReplays(agreed, "text", std::ref(worker));
  EXPECT_TRUE(worker.asked.empty()) << "nothing differs";
}

TEST(RungReplayTest, AFindingsStageSaysWhichGraph) {
  ShowStagesWorker worker{
      .stages = worker::ReplayResult{
          stagesOf(ReplayOutcome::kHolds, ReplayOutcome::kDiffers, ReplayOutcome::kHolds, ReplayOutcome::kHolds).rungs,
          ""}};
  worker::BackendResult finding;
  finding.backend = "torch:aot_eager";
  finding.outcome = language::Outcome::kDiffers;
  finding.shows = {"Differs/values"};
  EXPECT_EQ(triage::stageOf("text", finding, std::ref(worker)).value().adds,
            "the min-cut partition; by its graphs: partition");
  worker.stages = worker::ReplayResult{{}, "cannot be shown"};
  EXPECT_EQ(triage::stageOf("text", finding, std::ref(worker)).value().adds, "the min-cut partition");
}

} // namespace touchstone::tests
