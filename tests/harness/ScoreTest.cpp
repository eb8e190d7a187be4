#include "harness/score/FamilyScoring.h"
#include "harness/score/FaultSelection.h"
#include "harness/score/ScoreRecord.h"
#include "harness/score/ScoreReport.h"
#include "harness/score/SecondLook.h"

#include "backends/faults/TorchFaultNames.h"
#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "generators/catalogue/Operators.h"
#include "graph/ir/Stages.h"
#include "harness/report/Report.h"
#include "harness/worker/Progress.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

using faults::FaultClass;
using faults::FaultRow;
using language::Outcome;
using score::Attribution;

FaultRow faultNamed(std::string_view name, FaultClass faultClass = FaultClass::kViews) {
  return {name, ir::Family::kNative, faultClass, ir::kJointStage, "something is wrong", "always"};
}

FaultRow controlNamed(std::string_view name) {
  FaultRow row = faultNamed(name);
  row.isControl = true;
  return row;
}

worker::BackendResult resultOf(const std::string& backend, Outcome outcome) {
  worker::BackendResult result;
  result.backend = backend;
  result.outcome = outcome;
  result.text = language::outcomeName(outcome);
  result.processorSeconds = 0.5;
  return result;
}

constexpr double kShared = 0.25; // seconds to make a Case and to run it eagerly

/// A worker in which the backends of `differs` are wrong in these Cases, and the second look says what `looks` does, or that it is
/// so.
struct FakeWorkers {
  std::map<std::string, std::set<uint64_t>> differs;
  std::map<uint64_t, score::SecondLook> looks; // by Case
  std::map<std::string, int> asked; // Cases by backend
  std::map<uint64_t, std::vector<std::string>> bites; // by Case: what the search for faults that bite says
  int secondLooks = 0, jobs = 0;

  score::RunBatches run() {
    return [this](const std::vector<worker::Batch>& batches) {
      std::vector<worker::JobResult> results;
      for (const worker::Batch& batch : batches) {
        for (const worker::Job& job : batch.jobs) {
          const uint64_t index = std::get<worker::GeneratedCase>(job.source).index;
          ++jobs;
          worker::JobResult& result = results.emplace_back();
          result.id = job.id;
          result.caseText = std::to_string(index);
          result.processorSeconds = kShared;
          for (const std::string& name : job.backends) {
            ++asked[name];
            result.backends.push_back(
                resultOf(name, differs[name].contains(index) ? Outcome::kDiffers : Outcome::kAgreed));
            result.backends.back().bites = name == faults::kBiteSearch ? bites[index] : std::vector<std::string>{};
          }
        }
      }
      return results;
    };
  }

  score::LookAgain look() {
    return [this](const FaultRow&, const std::string& caseText) {
      ++secondLooks;
      const auto known = looks.find(std::stoull(caseText));
      score::SecondLook look = known != looks.end() ? known->second : score::SecondLook{true, true, {}};
      look.kill.shows = "Differs/values";
      look.kill.attribution = Attribution::kRight;
      return look;
    };
  }

  score::FamilyScore score(const std::vector<FaultRow>& rows, const score::Budget& budget, int workers = 1) {
    score::FamilyScoring scoring({.seed = 7}, budget, workers, rows, score::newScore(rows[0].family, rows));
    while (!scoring.isDone()) {
      scoring.step(run(), look());
    }
    return scoring.score();
  }
};

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::WrongUse& error) {
    return error.what();
  }
  return "";
}

triage::Ladder ladderThatBlames(const std::string& rung) {
  triage::Ladder ladder{.rungs = {{rung, ""}}};
  ladder.top = ladder.first = 0;
  return ladder;
}

} // namespace

TEST(ScoreTest, AFaultIsChargedWithWhatItsOwnCampaignWouldCost) {
  FakeWorkers workers{{{"fault:early", {0, 5}}, {"fault:late", {12}}}};
  const std::vector<FaultRow> rows{faultNamed("early"), faultNamed("late"), faultNamed("never")};
  const score::FamilyScore score = workers.score(rows, {.cases = 20, .seconds = 1000});
  EXPECT_EQ(score.faults[0].cases, 1U);
  EXPECT_EQ(score.faults[0].seconds, kShared + 0.5);
  ASSERT_TRUE(score.faults[1].kill.has_value());
  EXPECT_EQ(score.faults[1].kill->index, 12U);
  EXPECT_EQ(score.faults[1].cases, 13U);
  EXPECT_EQ(score.faults[1].seconds, 13 * (kShared + 0.5));
  EXPECT_FALSE(score.faults[2].kill.has_value());
  EXPECT_EQ(score.faults[2].cases, 20U);
  EXPECT_EQ(score.faults[2].judged, 20);
  EXPECT_EQ(workers.asked["fault:early"], 1) << "what is killed drops out";
  EXPECT_EQ(workers.secondLooks, 2);
}

TEST(ScoreTest, SecondsOfAProcessorAreABudgetToo) {
  FakeWorkers workers;
  const score::FamilyScore score = workers.score({faultNamed("never")}, {.seconds = 3.1 * (kShared + 0.5)});
  EXPECT_EQ(score.faults[0].cases, 4U);
}

TEST(ScoreTest, TheNumberOfWorkersChangesNothing) {
  const std::vector<FaultRow> rows{faultNamed("early"), faultNamed("late"), faultNamed("never"), controlNamed("right")};
  const auto scoreWith = [&](int count) {
    FakeWorkers workers{{{"fault:early", {1, 2}}, {"fault:late", {30}}, {"fault:right", {3}}}};
    score::FamilyScore score = workers.score(rows, {.cases = 50, .seconds = 1000, .controlCases = 10}, count);
    score.next = 0;
    return score;
  };
  EXPECT_EQ(scoreWith(1), scoreWith(5));
}

TEST(ScoreTest, OnlyWhatRecursAndIsTheFaultsOwnKills) {
  FakeWorkers workers{{{"fault:late", {1, 2, 3}}},
                      {{1, {.recurs = false}}, {2, {.recurs = true, .isOfTheFault = false}}}};
  const score::FamilyScore score = workers.score({faultNamed("late")}, {.cases = 9, .seconds = 1000});
  EXPECT_EQ(score.faults[0].unconfirmed, 1);
  EXPECT_EQ(score.faults[0].shadowed, 1);
  ASSERT_TRUE(score.faults[0].kill.has_value());
  EXPECT_EQ(score.faults[0].kill->index, 3U);
}

TEST(ScoreTest, AControlGoesOnToItsLastCase) {
  FakeWorkers workers{{{"fault:right", {2, 7}}}, {{7, {.recurs = true, .isOfTheFault = false}}}};
  const score::FamilyScore score =
      workers.score({controlNamed("right")}, {.cases = 2, .seconds = 0.1, .controlCases = 12});
  EXPECT_EQ(score.faults[0].cases, 12U);
  ASSERT_EQ(score.faults[0].shown.size(), 1U) << "what the pipeline shows without it is not its own";
  EXPECT_EQ(score.faults[0].shown[0].index, 2U);
  EXPECT_EQ(score.faults[0].shown[0].outcome, "Differs");
  EXPECT_EQ(score::loudControls({{{controlNamed("right")}, score}}), 1);
}

TEST(ScoreTest, AnInterruptedStepIsNoStep) {
  FakeWorkers workers{{{"fault:late", {0}}}};
  const std::vector<FaultRow> rows{faultNamed("late")};
  score::FamilyScoring scoring({}, {}, 1, rows, score::newScore(ir::Family::kNative, rows));
  const score::LookAgain interrupted = [](const FaultRow&, const std::string&) -> score::SecondLook {
    throw base::Interrupted();
  };
  EXPECT_THROW(scoring.step(workers.run(), interrupted), base::Interrupted);
  EXPECT_EQ(scoring.score(), score::newScore(ir::Family::kNative, rows));
}

TEST(ScoreTest, AFindingCountsOnlyWhereThePipelineWithoutTheFaultDoesNotShowIt) {
  Outcome clean = Outcome::kAgreed, faulty = Outcome::kDiffers;
  const pool::RunJob run = [&](const worker::Job& job) {
    EXPECT_EQ(job.backends, (std::vector<std::string>{"aot_eager", "fault:right"}));
    worker::JobResult result;
    result.backends = {resultOf("aot_eager", clean), resultOf("fault:right", faulty)};
    return result;
  };
  const auto look = [&] { return score::lookAgain(controlNamed("right"), "", run); };
  EXPECT_TRUE(look().recurs && look().isOfTheFault);
  clean = Outcome::kDiffers;
  EXPECT_TRUE(look().recurs && !look().isOfTheFault);
  clean = Outcome::kUnsupported;
  EXPECT_FALSE(look().isOfTheFault);
  clean = Outcome::kAgreed;
  faulty = Outcome::kEagerUnstable;
  EXPECT_FALSE(look().recurs);
}

TEST(ScoreTest, AFindingBesideAnotherOfThePipelineWithoutTheFaultCounts) {
  const auto isOfTheFault = [](const std::string& cleanShows, const std::string& faultyShows) {
    return score::lookAgain(controlNamed("right"), "",
                            [&](const worker::Job&) {
                              worker::JobResult result;
                              result.backends = {resultOf("aot_eager", Outcome::kDiffers),
                                                 resultOf("fault:right", Outcome::kDiffers)};
                              result.backends[0].shows = {cleanShows};
                              result.backends[1].shows = {faultyShows, cleanShows};
                              return result;
                            })
        .isOfTheFault;
  };
  EXPECT_TRUE(isOfTheFault("Differs/strides/output", "Differs/values/output"));
  EXPECT_FALSE(isOfTheFault("Differs/values/output", "Differs/values/output"));
  EXPECT_FALSE(isOfTheFault("InternalError/compile/AssertionError", "Differs/values/output"))
      << "what raises hides the rest";
}

std::vector<FaultRow> torchFaultsNamed(const std::vector<std::string_view>& names) {
  std::vector<FaultRow> rows;
  for (const std::string_view name : names) {
    rows.push_back(faultNamed(name));
    rows.back().family = ir::Family::kTorch;
  }
  return rows;
}

/// Of one that bites in the first three Cases, and two that do not; the search in the fourth Case comes to no end.
struct SearchedScore {
  FakeWorkers workers{.bites = {{0, {"bites"}}, {1, {"bites"}}, {2, {"bites"}}, {3, {}}}};
  score::FamilyScore score() {
    return workers.score(torchFaultsNamed({"bites", "spares", "spares_too"}), {.cases = 4, .seconds = 1000});
  }
};

TEST(ScoreTest, AFaultThatWouldChangeNoGraphIsNotCompiled) {
  SearchedScore searched;
  const score::FamilyScore score = searched.score();
  EXPECT_EQ(searched.workers.asked["torch:fault:bites"], 4);
  EXPECT_EQ(searched.workers.asked["torch:fault:spares"], 1);
  EXPECT_EQ(score.faults[0].compiled, 4U);
  EXPECT_EQ(score.faults[1].compiled, 1U);
  for (const score::FaultScore& each : score.faults) { // of each, what a campaign of its own would have cost
    EXPECT_EQ(each.cases, 4U);
    EXPECT_EQ(each.judged, 4);
    EXPECT_EQ(each.shadowed, 0);
    EXPECT_DOUBLE_EQ(each.seconds, 4 * (kShared + 0.5));
  }
}

TEST(ScoreTest, ACaseInWhichNoFaultMayBiteIsMadeOnce) {
  FakeWorkers workers{.bites = {{0, {"another"}}, {1, {"another"}}}};
  const score::FamilyScore score =
      workers.score(torchFaultsNamed({"one", "two", "three"}), {.cases = 2, .seconds = 1000});
  EXPECT_EQ(workers.jobs, 2);
  EXPECT_EQ(score.next, 2U);
  EXPECT_EQ(score.faults[2].cases, 2U);
  EXPECT_EQ(score.faults[2].compiled, 0U);
}

TEST(ScoreTest, FewFaultsAreCompiledWithoutASearch) {
  FakeWorkers workers;
  workers.score(torchFaultsNamed({"one", "two"}), {.cases = 2, .seconds = 1000});
  EXPECT_EQ(workers.asked[std::string(faults::kBiteSearch)], 0);
  EXPECT_EQ(workers.asked["torch:fault:one"], 2);
}

TEST(ScoreTest, WhatThePipelineWithoutAFaultShowsShadowsWhatIsNotCompiled) {
  SearchedScore searched;
  searched.workers.differs = {{"torch:aot_eager", {1, 2}}, {"torch:fault:search", {1}}};
  const score::FamilyScore score = searched.score();
  EXPECT_EQ(score.faults[1].shadowed, 1);
  EXPECT_EQ(score.faults[1].compiled, 2U) << "in the third Case search and pipeline disagree: it says nothing";
}

TEST(ScoreTest, AJobSaysWhatTheCaseAndEachBackendTook) {
  const double begin = worker::processSeconds();
  const worker::JobResult result = worker::runCaseJob({.source = worker::PrintedCase{smallCase("torch.sin(x)")},
                                                       .backends = {"eager", "aot_eager"},
                                                       .task = worker::JudgeTask{.blame = false}});
  const double all = worker::processSeconds() - begin;
  ASSERT_EQ(result.backends.size(), 2U) << result.error;
  double sum = result.processorSeconds;
  EXPECT_GT(sum, 0);
  for (const worker::BackendResult& each : result.backends) {
    EXPECT_GT(each.processorSeconds, 0) << each.backend;
    sum += each.processorSeconds;
  }
  EXPECT_LE(sum, all);
}

TEST(ScoreTest, TheLowestRungNamesTheStages) {
  using Stages = std::vector<std::string>;
  EXPECT_EQ(score::blamedStages(ladderThatBlames("fault:xor_is_or@aot_functional")), Stages{ir::kFunctionalStage});
  EXPECT_EQ(score::blamedStages(ladderThatBlames("fault:xor_is_or")), Stages{ir::kMergedStage});
  EXPECT_EQ(score::blamedStages(ladderThatBlames("aot_joint")), (Stages{ir::kJointStage, ir::kMetadataStage}));
  EXPECT_EQ(score::blamedStages({}), Stages{});
  EXPECT_EQ(score::blamedStages(ladderThatBlames("torch:fault:a@eager")), (Stages{"dynamo", "guards", "runtime"}));
  triage::Ladder torch = ladderThatBlames("torch:fault:a@aot_eager_default_partitioner");
  EXPECT_EQ(score::blamedStages(torch), (Stages{"joint", "partition", "forward", "backward"}))
      << "no graphs were looked at";
  using ReplayOutcome = stages::ReplayRung::Outcome;
  torch.stages =
      triage::RungReplay{.backend = "torch:aot_eager",
                         .rungs = {{"tracing", "", ReplayOutcome::kHolds}, {"partition", "", ReplayOutcome::kDiffers}}};
  EXPECT_EQ(score::blamedStages(torch), Stages{"partition"});
  torch.stages->rungs[1].outcome = ReplayOutcome::kNotJudged;
  EXPECT_EQ(score::blamedStages(torch), (Stages{"partition", "runtime"}));
  torch.stages = triage::RungReplay{.backend = "torch:eager", .bySubstitutes = true, .left = ir::kCapturedStage};
  for (const auto& [guilty, stage] :
       {std::pair(triage::kGuardsStage, "guards"), std::pair(triage::kAroundCapturedStage, "runtime"),
        std::pair(ir::kCapturedStage, "dynamo")}) {
    torch.stages->rungs = {{triage::kGuardsStage, "", ReplayOutcome::kHolds},
                           {triage::kAroundCapturedStage, "", ReplayOutcome::kHolds}};
    for (stages::ReplayRung& rung : torch.stages->rungs) {
      rung.outcome = rung.stage == guilty ? ReplayOutcome::kDiffers : ReplayOutcome::kHolds;
    }
    EXPECT_EQ(score::blamedStages(torch), Stages{stage});
  }
}

TEST(ScoreTest, AStageIsRightAmbiguousOrElsewhere) {
  EXPECT_EQ(score::attributionOf({"joint"}, "joint"), Attribution::kRight);
  EXPECT_EQ(score::attributionOf({"joint", "metadata"}, "joint"), Attribution::kAmbiguous);
  EXPECT_EQ(score::attributionOf({"functional"}, "joint"), Attribution::kElsewhere);
  EXPECT_EQ(score::attributionOf({}, "joint"), Attribution::kNone);
}

TEST(ScoreTest, HalvesAreByName) {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) {
    names.push_back("fault_" + std::to_string(i));
  }
  std::vector<FaultRow> table;
  for (const std::string& name : names) {
    table.push_back(faultNamed(name));
  }
  table.push_back(controlNamed("right"));
  const std::vector<FaultRow> seen = score::selectFaults(table, {"seen", {}});
  const std::vector<FaultRow> unseen = score::selectFaults(table, {"unseen", {}});
  EXPECT_EQ(seen.size() + unseen.size(), table.size() + 1) << "controls are in both";
  EXPECT_GT(seen.size(), 80U);
  EXPECT_GT(unseen.size(), 80U);
  EXPECT_EQ(seen.back().name, "right");
  EXPECT_EQ(score::selectFaults(table, {}).size(), table.size());
  EXPECT_FALSE(score::isSeen("fault_1")) << "another hash mixes what was seen with what was not";
  EXPECT_TRUE(score::isSeen("fault_0"));
}

TEST(ScoreTest, FaultsAreChosenByNameAndByClass) {
  const std::vector<FaultRow> table{faultNamed("a", FaultClass::kGuards), faultNamed("b"),
                                    faultNamed("c", FaultClass::kSavedValues)};
  const std::vector<FaultRow> chosen = score::selectFaults(table, {"all", {"saved_values", "a"}});
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].name, "a");
  EXPECT_EQ(chosen[1].name, "c");
  EXPECT_NO_THROW(score::checkNames({"a", "guards"}, table));
  EXPECT_NO_THROW(score::checkNames({"fault:a", "torch:fault:b"}, table)) << "as the backend is called";
  EXPECT_EQ(score::selectFaults(table, {"all", {"torch:fault:b"}}).at(0).name, "b");
  EXPECT_NE(refusal([&] { score::checkNames({"gards"}, table); }).find("Did you mean `guards`?"), std::string::npos);
}

TEST(ScoreTest, TheTableCountsMediansAndStages) {
  score::FamilyReport family;
  family.rows = {faultNamed("a"), faultNamed("b"), faultNamed("c", FaultClass::kGuards), controlNamed("right")};
  family.score = score::newScore(ir::Family::kNative, family.rows);
  family.score.faults[0].cases = 3;
  family.score.faults[0].kill = score::Kill{.attribution = Attribution::kRight};
  family.score.faults[1].cases = 10;
  family.score.faults[1].kill = score::Kill{.attribution = Attribution::kElsewhere};
  family.score.faults[2].cases = 99;
  const std::vector<score::ScoreRow> rows = score::scoreRows(family);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "views");
  EXPECT_EQ(rows[0].killed, 2);
  EXPECT_EQ(rows[0].medianCases, 6.5);
  EXPECT_EQ(rows[0].count(Attribution::kElsewhere), 1);
  EXPECT_EQ(rows[1].name, "guards");
  EXPECT_EQ(rows[1].medianCases, std::nullopt);
  EXPECT_EQ(rows[2].name, "all");
  EXPECT_EQ(rows[2].faults, 3) << "controls are none";
  EXPECT_DOUBLE_EQ(score::wholeScore({family, family}).killedShare(), 2.0 / 3);
}

TEST(ScoreTest, SurvivorsOfTheUnseenHalfAreCountedUnlessAskedFor) {
  score::FamilyReport family;
  family.rows = {faultNamed("fault_1"), faultNamed("fault_0")}; // unseen, seen
  family.score = score::newScore(ir::Family::kNative, family.rows);
  const std::string text = score::scoreText({family}, {});
  EXPECT_EQ(text.find("fault:fault_1"), std::string::npos) << text;
  EXPECT_NE(text.find("fault:fault_0 (views, joint): something is wrong; always"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of the unseen half survived"), std::string::npos) << text;
  EXPECT_NE(score::scoreText({family}, {.showUnseen = true}).find("fault:fault_1"), std::string::npos);
  const nlohmann::json object = score::scoreJson({family}, {}).at(0);
  EXPECT_EQ(object.at("faults").size(), 1U);
  EXPECT_EQ(object.at("hidden"), 1);
}

namespace {

score::ScoreRecord someRecord() {
  score::ScoreRecord record{.options = {"all", "seen", {"guards"}, 101, 50, 2.5, 20, {"dense"}},
                            .torch = report::torchVersion(),
                            .catalogue = catalogue::kCatalogueVersion,
                            .seconds = 12.5};
  score::FaultScore killed{
      .name = "a", .cases = 4, .compiled = 2, .seconds = 0.75, .judged = 3, .shadowed = 2, .unconfirmed = 1};
  killed.kill = score::Kill{3, "Differs/values/call 0", "Differs/values", "fault:a", "merged", Attribution::kElsewhere};
  score::FaultScore control{.name = "right", .cases = 5};
  control.shown = {{2, "Crashed", "by \"SIGSEGV\""}};
  record.families = {{ir::Family::kNative, 17, 1, {killed, control}}, {ir::Family::kTorch, 3, 0, {}}};
  return record;
}

} // namespace

TEST(ScoreTest, TheStateComesBackWhole) {
  const score::ScoreRecord record = someRecord();
  EXPECT_EQ(score::recordFromText(score::recordText(record), "here"), record);
  EXPECT_NE(refusal([] { score::recordFromText("{}", "score.json"); }).find("`score.json` is no state of a score"),
            std::string::npos);
}

TEST(ScoreTest, AScoreGoesOnWithItsOwnOptionsOnly) {
  const TemporaryFolder folder("score");
  const std::string file = folder.file("score.json", score::recordText(someRecord()));
  EXPECT_EQ(score::recordToGoOnWith(folder.path() / "none.json", {}, {}), std::nullopt);
  EXPECT_EQ(score::recordToGoOnWith(file, {}, {}), someRecord()) << "what is not given is as it was";
  EXPECT_EQ(score::recordToGoOnWith(file, {.seed = 101}, {"--seed"}), someRecord());
  const std::string told = refusal([&] {
    score::recordToGoOnWith(file, {.half = "all", .seed = 5}, {"--seed", "--half"});
  });
  EXPECT_NE(told.find("--half is \"seen\" there and \"all\" here; --seed is 101 there and 5 here"), std::string::npos)
      << told;
}

TEST(ScoreTest, WhatKillsAfterAStopKillsAfterAnother) {
  const std::vector<FaultRow> rows{faultNamed("late"), faultNamed("never")};
  FakeWorkers workers{{{"fault:late", {12}}}};
  const score::Budget budget{.cases = 20, .seconds = 1000};
  score::FamilyScore stopped = score::newScore(ir::Family::kNative, rows);
  for (bool isDone = false; !isDone;) { // each step in a process of its own
    score::FamilyScoring scoring({.seed = 7}, budget, 1, rows, stopped);
    scoring.step(workers.run(), workers.look());
    score::ScoreRecord record;
    record.families = {scoring.score()};
    stopped = score::recordFromText(score::recordText(record), "").families.at(0);
    isDone = scoring.isDone();
  }
  EXPECT_EQ(stopped, FakeWorkers(workers).score(rows, budget));
}

} // namespace touchstone::tests
