#include "harness/triage/RungSubstitutes.h"

#include "backends/faults/FaultTable.h"
#include "harness/score/SecondLook.h"
#include "harness/triage/Ladder.h"
#include "harness/worker/FillAllocator.h"
#include "harness/worker/Job.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::tests {

namespace {

using language::Outcome;
using ReplayOutcome = stages::ReplayRung::Outcome;

std::string substituteOf(const worker::Job& job) {
  return std::get<worker::JudgeTask>(job.task).substitute;
}

/// A worker in which a Case shows a kind of symptom unless one of these runs in a stage's place, and what it is asked for.
struct SubstituteWorker {
  std::vector<std::string> mending;
  std::map<std::string, worker::JudgeResult> answers;
  Outcome mended = Outcome::kAgreed;
  std::vector<std::string> asked;
  std::string shown;

  worker::JobResult operator()(const worker::Job& job) {
    const std::string substitute = substituteOf(job);
    asked.push_back(substitute);
    worker::JobResult result;
    worker::BackendResult& each = result.backends.emplace_back();
    each.backend = job.backends.at(0);
    const bool isMended = std::find(mending.begin(), mending.end(), substitute) != mending.end();
    each.outcome = isMended ? mended : Outcome::kDiffers;
    each.text = language::outcomeName(each.outcome);
    each.shows = {isMended ? each.text : shown};
    const auto answer = answers.find(substitute);
    result.answer = answer != answers.end() ? answer->second : worker::JudgeResult{.placed = 1};
    return result;
  }
  triage::RungReplay stagesOf(const std::string& backend, const std::string& kind = "Differs/values") {
    shown = kind;
    return triage::substitutedStagesOf("text", backend, kind, std::ref(*this)).value();
  }
};

worker::JobResult judgedWith(const std::string& text, const std::string& backend, const std::string& substitute) {
  return worker::runCaseJob({.source = worker::PrintedCase{text},
                             .backends = {backend},
                             .task = worker::JudgeTask{.blame = false, .substitute = substitute}});
}

std::string caseFileText(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The Case of tests/cases/faults that shows a fault.
std::string caseThatShows(const std::string& fault) {
  for (const auto& entry : std::filesystem::directory_iterator(TOUCHSTONE_SOURCE_DIR "/tests/cases/faults")) {
    std::string text = caseFileText(entry.path());
    if (text.find("# expect: fault:" + fault + " ") != std::string::npos) {
      return text;
    }
  }
  return "";
}

/// What changes in the verdict with a substitute in place, of a Case in which the pipeline agrees; empty: nothing.
std::string falseBlame(const std::string& text, const std::string& backend, const std::string& substitute,
                       int& placed) {
  const worker::JobResult result = judgedWith(text, backend, substitute);
  if (result.backends.empty()) {
    return result.error;
  }
  placed += std::get<worker::JudgeResult>(result.answer).placed;
  const worker::BackendResult& each = result.backends[0];
  const bool isFresh = substitute == "fresh" && each.text.starts_with("Differs/recompiles"); // what it is for
  return triage::agrees(each) || isFresh || !language::isFinding(each.outcome)
             ? ""
             : substitute + " of " + backend + ": " + each.text + ": " + each.message + "\n" + text;
}

/// Every pipeline that has it.
const std::vector<std::pair<std::string, std::string>>& everySubstitute() {
  static const std::vector<std::pair<std::string, std::string>> all{
      {"aot_joint", "joint"},    {"aot_eager_default_partitioner", "forward"},
      {"aot_eager", "forward"},  {"aot_eager_default_partitioner", "backward"},
      {"aot_eager", "backward"}, {"aot_eager", "fresh"},
  };
  return all;
}

void expectNoFalseBlame(const std::vector<std::string>& texts, int atLeast) {
  std::map<std::string, int> placed;
  for (const std::string& text : texts) {
    std::map<std::string, bool> agreed;
    for (const auto& [backend, substitute] : everySubstitute()) {
      if (!agreed.contains(backend)) {
        const worker::JobResult plain = judgedWith(text, backend, "");
        agreed[backend] = !plain.backends.empty() && triage::agrees(plain.backends[0]);
      }
      if (agreed[backend]) {
        EXPECT_EQ(falseBlame(text, backend, substitute, placed[backend + " " + substitute]), "");
      }
    }
  }
  for (const auto& [backend, substitute] : everySubstitute()) {
    EXPECT_TRUE(substitute == "fresh" || placed[backend + " " + substitute] >= atLeast)
        << substitute << " of " << backend << ": " << placed[backend + " " + substitute];
  }
}

} // namespace

TEST(RungSubstitutesTest, TheStageWithoutWhichTheSymptomIsGoneDiffers) {
  SubstituteWorker worker{.mending = {"backward"}};
  const triage::RungReplay stages = worker.stagesOf("fault:xor_is_or@aot_eager_default_partitioner");
  EXPECT_EQ(worker.asked, (std::vector<std::string>{"forward", "backward", "fresh"}));
  EXPECT_EQ(triage::guiltyStage(stages), "backward");
  const std::string text = triage::replayText(stages);
  EXPECT_NE(text.find(", each in turn replaced by what it was made from:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    with it replaced: Agreed\n"), std::string::npos) << text;
  EXPECT_EQ(triage::guiltyStage(SubstituteWorker{.mending = {"backward"}}.stagesOf("fault:xor_is_or")), "merged")
      << "below, the backward was right";
}

TEST(RungSubstitutesTest, WhatIsLeftIsAroundTheGraphsOrTheRungItself) {
  EXPECT_EQ(triage::guiltyStage(SubstituteWorker{}.stagesOf("aot_joint")), triage::kAroundGraphs);
  EXPECT_EQ(triage::guiltyStage(SubstituteWorker{}.stagesOf("aot_functional")), "functional");
  EXPECT_EQ(triage::guiltyStage(SubstituteWorker{}.stagesOf("eager")), "captured");
  EXPECT_FALSE(triage::substitutedStagesOf("text", "ts", "Differs/values", SubstituteWorker{}).has_value());
  EXPECT_FALSE(
      triage::substitutedStagesOf("text", "torch:aot_eager", "Differs/values", SubstituteWorker{}).has_value());
}

TEST(RungSubstitutesTest, WhatHasNoSubstituteIsNotCleared) {
  SubstituteWorker refused{.answers = {{"joint", {.placed = 0, .refused = {"forward: why"}}}}};
  EXPECT_EQ(triage::guiltyStages(refused.stagesOf("aot_joint")),
            (std::vector<std::string>{"joint", triage::kAroundGraphs}));
  SubstituteWorker none{.answers = {{"joint", {}}}};
  EXPECT_EQ(none.stagesOf("aot_joint").rungs[0].outcome, ReplayOutcome::kAbsent) << "no graph came to it";
  EXPECT_EQ(triage::guiltyStage(none.stagesOf("aot_joint")), triage::kAroundGraphs);
  SubstituteWorker raises{.mending = {"joint"}, .mended = Outcome::kBackendRejected};
  raises.answers["joint"] = {.placed = 1};
  EXPECT_NE(raises.stagesOf("aot_joint").rungs[0].outcome, ReplayOutcome::kDiffers) << "that hides the rest";
}

TEST(RungSubstitutesTest, GuardsAreToBlameOnlyWhereCallsGetOtherCode) {
  SubstituteWorker worker{.mending = {"fresh"},
                          .answers = {{"none", {.codes = {{1}, {1}}}}, {"fresh", {.codes = {{1}, {2}}}}}};
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf("aot_joint")), "guards");
  worker.answers["fresh"].codes = {{1}, {1}};
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf("aot_joint")), triage::kAroundGraphs);
  worker.answers["none"].codes = {{1}, {}};
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf("aot_joint")), triage::kAroundGraphs) << "the second call has raised";
  worker.answers["none"].codes = {{1}, {1}};
  worker.answers["fresh"].codes = {{1}, {}};
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf("aot_joint")), triage::kAroundGraphs) << "alone it is not compiled";
  worker.answers["none"].codes.clear();
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf("eager")), "guards") << "nobody knows its codes";
}

TEST(RungSubstitutesTest, DynamosRungHasGuardsTheCapturedGraphAndWhatIsAroundIt) {
  const std::string dynamo = "torch:fault:alpha_is_dropped@eager";
  SubstituteWorker worker;
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf(dynamo)), "captured");
  EXPECT_EQ(worker.asked, (std::vector<std::string>{"fresh", "graph"}));
  EXPECT_EQ(triage::guiltyStage(SubstituteWorker{.mending = {"graph"}}.stagesOf("torch:eager")),
            triage::kAroundCapturedStage);

  SubstituteWorker told{.answers = {{"graph", {.placed = 1, .around = {"", "a graph raises, and the call returns"}}}}};
  const triage::RungReplay stages = told.stagesOf(dynamo);
  EXPECT_EQ(triage::guiltyStage(stages), triage::kAroundCapturedStage);
  EXPECT_NE(triage::replayText(stages).find("call 1: a graph raises, and the call returns"), std::string::npos);
  EXPECT_EQ(triage::guiltyStage(SubstituteWorker{}.stagesOf(dynamo, "Differs/structure")), triage::kAroundCapturedStage)
      << "a graph has none";
}

TEST(RungSubstitutesTest, GuardsOfDynamoAreToBlameWhereCallsGetOtherGraphs) {
  SubstituteWorker worker{.mending = {"fresh"},
                          .answers = {{"none", {.codes = {{1}, {1}}}}, {"fresh", {.codes = {{1}, {2}}}}}};
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf("torch:eager")), "guards");
  worker.answers["fresh"].codes = {{1}, {1}};
  EXPECT_EQ(triage::guiltyStage(worker.stagesOf("torch:eager")), triage::kAroundCapturedStage)
      << "a call finds what the one before has left, and graphs leave nothing";
  EXPECT_EQ(triage::guiltyStage(SubstituteWorker{}.stagesOf("torch:eager", "Differs/recompiles")), "guards");
}

TEST(RungSubstitutesTest, PlantedFaultsAreInTheirStages) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"alpha_dropped", "captured"},
      {"broadcast_sum_takes_first", "joint"},
      {"relu_gradient_at_zero", "joint"},
      {"xor_is_or", "functional"},
      {"input_saved_for_exp", "forward"},
      {"saved_values_swapped", "forward"},
      {"tail_of_cat_unwritten", "forward"},
      {"later_tangents_ignored", "backward"},
      {"gradients_swapped", "backward"},
      {"tail_of_gradient_unwritten", "backward"},
      {"recomputed_operands_swapped", "merged"},
      {"numbers_unguarded", "guards"},
      {"sizes_unguarded", "guards"},
      {"memory_unguarded", "guards"},
      {"mutation_not_written_back", "metadata"},
      {"view_result_copied", "metadata"},
      {"second_call_repeats_first", "metadata"},
      {"second_call_raises", "metadata"},
      {"error_class_lost", "metadata"},
      {"complex_refused", "metadata"},
  };
  worker::installFillAllocator(); // as in a worker: what is left unwritten may else hold what is right
  const pool::RunJob run = [](const worker::Job& job) { return worker::runCaseJob(job); };
  for (const auto& [fault, stage] : faults) {
    const faults::FaultRow* row = faults::faultRow(ir::Family::kNative, fault);
    ASSERT_NE(row, nullptr) << fault;
    EXPECT_EQ(faults::stageToBlame(*row), stage) << fault;
    const std::string text = caseThatShows(fault);
    ASSERT_NE(text, "") << fault;
    const score::SecondLook look = score::lookAgain(*row, text, run);
    EXPECT_TRUE(look.isOfTheFault) << fault;
    EXPECT_EQ(look.kill.stages, stage) << fault << " at " << look.kill.rung;
  }
}

TEST(RungSubstitutesTest, SubstitutesChangeNothingInWhatIsRight) {
  std::vector<std::string> texts;
  for (uint64_t index = 0; index < 20; ++index) {
    const worker::JobResult made = worker::runCaseJob({.source = worker::GeneratedCase{.seed = 61, .index = index},
                                                       .backends = {"eager"},
                                                       .task = worker::JudgeTask{.blame = false},
                                                       .wantCase = true});
    if (!made.caseText.empty()) {
      texts.push_back(made.caseText);
    }
  }
  EXPECT_GT(texts.size(), 15U);
  expectNoFalseBlame(texts, 10);
}

TEST(RungSubstitutesTest, SubstitutesChangeNothingInEdgeClasses) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(TOUCHSTONE_SOURCE_DIR "/corpus/edge_classes")) {
    if (entry.path().extension() == ".py") {
      texts.push_back(caseFileText(entry.path()));
    }
  }
  std::sort(texts.begin(), texts.end());
  expectNoFalseBlame(texts, 20);
}

} // namespace touchstone::tests
