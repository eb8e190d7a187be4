#include "harness/triage/Ladder.h"

#include "backends/Registry.h"
#include "backends/native/NativeBackends.h"
#include "harness/commands/LadderCommand.h"
#include "harness/triage/Bisection.h"
#include "harness/worker/Job.h"
#include "oracles/compare/Verdict.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace touchstone::tests {

namespace {

using language::Outcome;

std::vector<std::string> namesOf(const std::vector<report::Rung>& rungs) {
  std::vector<std::string> names;
  for (const report::Rung& rung : rungs) {
    names.push_back(rung.backend);
  }
  return names;
}

worker::BackendResult resultOf(const std::string& backend, Outcome outcome, const std::string& text) {
  worker::BackendResult result;
  result.backend = backend;
  result.outcome = outcome;
  result.text = text;
  result.message = outcome == Outcome::kAgreed ? "" : "because";
  if (language::isFinding(outcome)) {
    result.shows = {outcome == Outcome::kDiffers ? "Differs/values" : std::string(language::outcomeName(outcome))};
  }
  return result;
}

/// A Case whose program has three relus; each is of consequence.
const std::string kThreeRelus = smallCase("torch.relu(torch.relu(x) + torch.relu(x * 2))");

/// A worker in which every pipeline agrees but those named; with a limit for `pass`, these agree below `wrong` and show
/// `otherwise`, if there is any such kind, from `wrong` to `right`.
struct FakeWorker {
  std::map<std::string, Outcome> outcomes;
  std::string pass;
  int64_t count = 0, wrong = 0;
  std::map<std::string, std::vector<std::string>> shows; // kinds, where not the outcome alone
  std::string otherwise;
  int64_t right = 0;
  std::vector<worker::Job> asked;

  worker::JobResult operator()(const worker::Job& job) {
    asked.push_back(job);
    worker::JobResult result;
    for (const std::string& name : job.backends) {
      const auto found = outcomes.find(name);
      Outcome outcome = found == outcomes.end() ? Outcome::kAgreed : found->second;
      const auto* task = std::get_if<worker::JudgeTask>(&job.task);
      const std::optional<worker::PassLimit> passLimit = task != nullptr ? task->passLimit : std::nullopt;
      if (passLimit && passLimit->pass == pass && passLimit->limit < wrong) {
        outcome = Outcome::kAgreed;
      }
      result.backends.push_back(resultOf(name, outcome, std::string(language::outcomeName(outcome))));
      if (const auto kinds = shows.find(name); kinds != shows.end() && language::isFinding(outcome)) {
        result.backends.back().shows = kinds->second;
      }
      if (!otherwise.empty() && passLimit && passLimit->pass == pass && passLimit->limit >= wrong &&
          passLimit->limit < right) {
        result.backends.back().shows = {otherwise};
      }
      if (passLimit && count > 0) {
        result.backends.back().passes = {{"other", 3}, {pass, count}};
        result.backends.back().lastApplied = "node_" + std::to_string(passLimit->limit);
      }
    }
    return result;
  }
};

} // namespace

TEST(LadderTest, RungsAreBackendsOfTheirFamilyInOrder) {
  const std::vector<std::string> native{"eager",          "aot_joint",
                                        "aot_functional", "aot_eager_default_partitioner",
                                        "aot_eager",      "aot_eager_decomp_partition"};
  EXPECT_EQ(namesOf(triage::ladderOf(ir::Family::kNative)), native);
  for (const ir::Family family : {ir::Family::kNative, ir::Family::kTorch}) {
    for (const report::Rung& rung : triage::ladderOf(family)) {
      EXPECT_EQ(backends::backendInfo(rung.backend).family, family) << rung.backend;
    }
  }
}

TEST(LadderTest, ABackendsLadderEndsWithIt) {
  EXPECT_EQ(namesOf(triage::ladderTo("aot_functional")),
            (std::vector<std::string>{"eager", "aot_joint", "aot_functional"}));
  EXPECT_EQ(
      namesOf(triage::ladderTo("aot_eager")),
      (std::vector<std::string>{"eager", "aot_joint", "aot_functional", "aot_eager_default_partitioner", "aot_eager"}));
  EXPECT_EQ(namesOf(triage::ladderTo("torch:aot_eager")),
            (std::vector<std::string>{"torch:eager_python", "torch:eager", "torch:aot_eager_default_partitioner",
                                      "torch:aot_eager"}));
  EXPECT_EQ(namesOf(triage::ladderTo("aot_eager_decomp_partition")),
            (std::vector<std::string>{"eager", "aot_joint", "aot_functional", "aot_eager_default_partitioner",
                                      "aot_eager", "aot_eager_decomp_partition"}))
      << "a fault of the min-cut partition is no decomposition's";
  EXPECT_EQ(namesOf(triage::ladderTo("torch:my:own")).back(), "torch:my:own");
  EXPECT_THROW(triage::ladderTo("no_such_backend"), std::invalid_argument);
}

TEST(LadderTest, ACaseOfSymbolicSizesIsJudgedWithoutThem) {
  const std::string plain =
      "# touchstone: 1\nimport torch\ndef inputs(seed, kind):\n    x = torch.zeros(2)\n"
      "    return (x,), ()\ndef program(x):\n    return x\nCALLS = [dict(inputs=\"inputs\")]\n";
  EXPECT_EQ(triage::withoutSymbols(plain), std::nullopt);
  EXPECT_EQ(triage::withoutSymbols("no case"), std::nullopt);
  const std::string symbolic = plain + "COMPILE = dict(dynamic=True)\n";
  std::string marked = plain;
  marked.insert(marked.find("    return (x,)"), "    torch._dynamo.mark_dynamic(x, 0)\n");
  for (const std::string& text : {symbolic, marked}) {
    const std::optional<std::string> without = triage::withoutSymbols(text);
    ASSERT_TRUE(without.has_value());
    EXPECT_EQ(without->find("mark_dynamic"), std::string::npos);
    EXPECT_EQ(without->find("dynamic=True)\n"), std::string::npos);
  }
  FakeWorker worker{{{"torch:aot_eager", Outcome::kDiffers}}};
  const triage::Ladder ladder =
      triage::climb(symbolic, triage::ladderTo("torch:aot_eager"), std::ref(worker), triage::Top::kLast);
  ASSERT_EQ(worker.asked.size(), 2U) << "the ladder, and the strongest once more";
  EXPECT_EQ(worker.asked[1].backends, std::vector<std::string>{"torch:aot_eager"});
  ASSERT_TRUE(ladder.statically.has_value());
  EXPECT_NE(triage::ladderText(ladder).find("without symbolic sizes"), std::string::npos);
}

TEST(LadderTest, TheLowestOfTheChainUpToTheStrongestIsToBlame) {
  FakeWorker worker{{{"eager", Outcome::kUnsupported},
                     {"aot_functional", Outcome::kDiffers},
                     {"aot_eager_default_partitioner", Outcome::kDiffers},
                     {"aot_eager", Outcome::kDiffers}}};
  const triage::Ladder ladder =
      triage::climb("text", triage::ladderTo("aot_eager"), std::ref(worker), triage::Top::kLast);
  ASSERT_EQ(worker.asked.size(), 1U);
  EXPECT_FALSE(std::get<worker::JudgeTask>(worker.asked[0].task).blame);
  EXPECT_EQ(std::get<worker::PrintedCase>(worker.asked[0].source).text, "text");
  EXPECT_EQ(ladder.top, 4U);
  ASSERT_TRUE(ladder.first.has_value());
  EXPECT_EQ(ladder.rungs[*ladder.first].backend, "aot_functional");
  const std::string text = triage::ladderText(ladder);
  EXPECT_NE(text.find("  aot_joint                      Agreed       tracing"), std::string::npos) << text;
  EXPECT_NE(text.find("  aot_functional                 Differs      functionalization"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    because\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nFirst to differ: aot_functional (functionalization"), std::string::npos) << text;
  EXPECT_EQ(text.find("reason of its own"), std::string::npos) << text;
}

TEST(LadderTest, AWeakerRungThatDiffersByItselfIsNotToBlame) {
  FakeWorker worker{{{"aot_joint", Outcome::kDiffers}}};
  const triage::Ladder ladder = triage::climb("", triage::ladderTo("aot_eager_default_partitioner"), std::ref(worker),
                                              triage::Top::kStrongestJudged);
  EXPECT_EQ(ladder.top, 3U);
  EXPECT_FALSE(ladder.first.has_value());
  EXPECT_TRUE(ladder.differs(1) && ladder.differsForItsOwnReason(1));
  EXPECT_FALSE(ladder.differsForItsOwnReason(0));
  EXPECT_EQ(commands::statusOf(ladder), base::ExitStatus::kFindings) << "it is a finding all the same";
  const std::string text = triage::ladderText(ladder);
  EXPECT_NE(text.find("\n    because\n    differs for a reason of its own\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\naot_eager_default_partitioner agrees: "), std::string::npos) << text;
  EXPECT_EQ(text.find("First to differ"), std::string::npos) << text;
  EXPECT_FALSE(triage::bisect("", triage::ladderTo("aot_eager"), std::ref(worker)).fault.has_value());
  EXPECT_EQ(worker.asked.size(), 2U) << "nothing to bisect";

  FakeWorker both{{{"aot_joint", Outcome::kDiffers}, {"aot_eager_default_partitioner", Outcome::kDiffers}}};
  const triage::Ladder broken = triage::climb("", triage::ladderTo("aot_eager_default_partitioner"), std::ref(both),
                                              triage::Top::kStrongestJudged);
  EXPECT_EQ(broken.first, 3U) << "the rung between agrees";
  EXPECT_TRUE(broken.differsForItsOwnReason(1));
  EXPECT_FALSE(broken.differsForItsOwnReason(3));
}

TEST(LadderTest, WhatCouldNotBeJudgedNeitherMakesNorBreaksTheChain) {
  for (const Outcome unjudged : {Outcome::kUnsupported, Outcome::kUpstream, Outcome::kEagerRejected, Outcome::kLimit}) {
    FakeWorker worker{{{"aot_joint", Outcome::kDiffers},
                       {"aot_functional", unjudged},
                       {"aot_eager_default_partitioner", Outcome::kDiffers}}};
    const triage::Ladder ladder = triage::climb("", triage::ladderTo("aot_eager_default_partitioner"), std::ref(worker),
                                                triage::Top::kStrongestJudged);
    EXPECT_EQ(ladder.first, 1U) << language::outcomeName(unjudged);

    FakeWorker below{{{"aot_functional", Outcome::kDiffers}, {"aot_eager_default_partitioner", unjudged}}};
    const std::vector<report::Rung> rungs = triage::ladderTo("aot_eager_default_partitioner");
    const triage::Ladder strongest = triage::climb("", rungs, std::ref(below), triage::Top::kStrongestJudged);
    EXPECT_EQ(strongest.top, 2U);
    EXPECT_EQ(strongest.first, 2U);
    const triage::Ladder last = triage::climb("", rungs, std::ref(below), triage::Top::kLast);
    EXPECT_FALSE(last.top.has_value() || last.first.has_value());
    EXPECT_EQ(commands::statusOf(last), base::ExitStatus::kFindings);
    EXPECT_NE(triage::ladderText(last).find("\naot_eager_default_partitioner could not be judged.\n"),
              std::string::npos);
  }
}

TEST(LadderTest, TheChainIsOfThoseWithTheSameSymptom) {
  FakeWorker worker{{{"eager", Outcome::kDiffers},
                     {"aot_joint", Outcome::kDiffers},
                     {"aot_functional", Outcome::kDiffers},
                     {"aot_eager_default_partitioner", Outcome::kDiffers}}};
  worker.shows = {{"eager", {"Differs/strides"}},
                  {"aot_joint", {"BackendRejected/TypeError"}},
                  {"aot_functional", {"Differs/strides", "Differs/values"}},
                  {"aot_eager_default_partitioner", {"Differs/values"}}};
  const triage::Ladder ladder = triage::climb("", triage::ladderTo("aot_eager_default_partitioner"), std::ref(worker),
                                              triage::Top::kStrongestJudged);
  EXPECT_EQ(ladder.first, 2U) << "which shows it behind another difference";
  EXPECT_TRUE(ladder.differsForItsOwnReason(0) && ladder.differsForItsOwnReason(1));
  EXPECT_FALSE(ladder.differsForItsOwnReason(2) || ladder.differsForItsOwnReason(3));

  // What raises or dies hides what else there is; what was compared does not.
  for (const char* kind : {"BackendRejected/TypeError", "InternalError/KeyError", "Crashed"}) {
    worker.shows["aot_functional"] = {kind};
    worker.shows["aot_joint"] = {"Differs/values"};
    const triage::Ladder hidden = triage::climb("", triage::ladderTo("aot_eager_default_partitioner"), std::ref(worker),
                                                triage::Top::kStrongestJudged);
    EXPECT_EQ(hidden.first, 1U) << kind;
    EXPECT_FALSE(hidden.differsForItsOwnReason(2));
    EXPECT_NE(triage::ladderText(hidden).find("\n    hides whether it has the symptom of the strongest\n"),
              std::string::npos);
    worker.shows["aot_functional"] = {"Differs/strides"};
    EXPECT_EQ(triage::climb("", triage::ladderTo("aot_eager_default_partitioner"), std::ref(worker),
                            triage::Top::kStrongestJudged)
                  .first,
              3U);
  }
}

TEST(LadderTest, TheStageOfAFindingIsThatOfItsOwnSymptom) {
  FakeWorker worker{{{"aot_joint", Outcome::kDiffers},
                     {"aot_functional", Outcome::kDiffers},
                     {"aot_eager_default_partitioner", Outcome::kDiffers},
                     {"aot_eager", Outcome::kDiffers},
                     {"relu_accuracy_error_TESTING_ONLY", Outcome::kDiffers}}};
  worker.shows = {{"aot_joint", {"Differs/shape"}},
                  {"aot_functional", {"Differs/shape", "Differs/values"}},
                  {"aot_eager_default_partitioner", {"Differs/shape", "Differs/values"}},
                  {"aot_eager", {"Differs/shape", "Differs/values"}},
                  {"relu_accuracy_error_TESTING_ONLY", {"Differs/values"}}};
  worker::BackendResult finding = resultOf("aot_eager", Outcome::kDiffers, "Differs/values");
  EXPECT_EQ(triage::stageOf("", finding, std::ref(worker)).value().backend, "aot_functional");
  finding.shows = {"Differs/shape"}; // what is its own once the base's differences are taken out
  EXPECT_EQ(triage::stageOf("", finding, std::ref(worker)).value().backend, "aot_joint");
  finding.shows = {"Differs/dtype"};
  EXPECT_FALSE(triage::stageOf("", finding, std::ref(worker)).has_value()) << "it is not seen again";
  finding = resultOf("relu_accuracy_error_TESTING_ONLY", Outcome::kDiffers, "Differs/values");
  const report::Rung own = triage::stageOf("", finding, std::ref(worker)).value();
  EXPECT_EQ(own.backend, finding.backend);
  EXPECT_EQ(own.adds.rfind("WRONG ON PURPOSE", 0), 0U) << own.adds;
}

TEST(LadderTest, KindsOfSymptomAreThoseOfEveryCallWithoutTheirPlaces) {
  compare::CaseVerdict verdict;
  verdict.calls.resize(3);
  verdict.calls[0].setDifferences({{language::Property::kStrides, "output 0", ""}});
  verdict.calls[1].setDifferences(
      {{language::Property::kValues, "output 0", ""}, {language::Property::kValues, "output 1", ""}});
  verdict.calls[2].outcome = Outcome::kBackendRejected;
  verdict.calls[2].detail = "backward";
  verdict.calls[2].exceptionClass = "TypeError";
  verdict.outcome = Outcome::kDiffers;
  verdict.call = 1;
  EXPECT_EQ(worker::symptomKindsOf(verdict),
            (std::vector<std::string>{"Differs/values", "Differs/strides", "BackendRejected/TypeError"}));
  verdict.calls[1].outcome = verdict.outcome = Outcome::kReadsUninitialized; // which climbing does not tell apart
  EXPECT_EQ(worker::symptomKindsOf(verdict).front(), "Differs/values");
  verdict.outcome = Outcome::kVacuous;
  EXPECT_TRUE(worker::symptomKindsOf(verdict).empty());
}

TEST(LadderTest, AgreementAndNothingJudgedAreTold) {
  FakeWorker good, none{{{"eager", Outcome::kUnsupported}}};
  const triage::Ladder agreed = triage::climb("", triage::ladderTo("eager"), std::ref(good), triage::Top::kLast);
  EXPECT_EQ(commands::statusOf(agreed), base::ExitStatus::kNothingNew);
  EXPECT_NE(triage::ladderText(agreed).find("No rung differs."), std::string::npos);
  const triage::Ladder unjudged =
      triage::climb("", triage::ladderTo("eager"), std::ref(none), triage::Top::kStrongestJudged);
  EXPECT_FALSE(unjudged.first.has_value() || unjudged.top.has_value());
  EXPECT_EQ(commands::statusOf(unjudged), base::ExitStatus::kTooLittleJudged);
  EXPECT_NE(triage::ladderText(unjudged).find("No rung could be judged."), std::string::npos);
}

TEST(LadderTest, BisectingFindsPassAndApplication) {
  FakeWorker worker{{{"aot_eager", Outcome::kDiffers}}, "fusing", 100, 37};
  const triage::Bisection bisection = triage::bisect("text", triage::ladderTo("aot_eager"), std::ref(worker));
  ASSERT_TRUE(bisection.fault.has_value());
  EXPECT_EQ(bisection.fault->pass, "fusing");
  EXPECT_EQ(bisection.fault->number, 37);
  EXPECT_EQ(bisection.fault->where, "node_37");
  EXPECT_EQ(bisection.passes.size(), 2U);
  EXPECT_EQ(static_cast<size_t>(bisection.runs) + 1, worker.asked.size());
  for (size_t i = 1; i < worker.asked.size(); ++i) {
    EXPECT_EQ(worker.asked[i].backends, std::vector<std::string>{"aot_eager"});
    EXPECT_FALSE(std::get<worker::JudgeTask>(worker.asked[i].task).blame);
  }
}

TEST(LadderTest, ARunWithAnotherSymptomIsNotTheTargets) {
  FakeWorker worker{{{"aot_eager", Outcome::kDiffers}}, "fusing", 100, 37, {{"aot_eager", {"Differs/values"}}}};
  worker.otherwise = "Differs/strides";
  worker.right = 60;
  const triage::Bisection bisection = triage::bisect("text", triage::ladderTo("aot_eager"), std::ref(worker));
  ASSERT_TRUE(bisection.fault.has_value());
  EXPECT_EQ(bisection.fault->number, 60);
}

TEST(LadderTest, PassesOfTheInstalledPyTorchAreLeftToIt) {
  FakeWorker worker{{{"torch:aot_eager", Outcome::kDiffers}}};
  const triage::Bisection bisection = triage::bisect("text", triage::ladderTo("torch:aot_eager"), std::ref(worker));
  EXPECT_TRUE(bisection.ladder.first.has_value());
  EXPECT_FALSE(bisection.fault.has_value());
  EXPECT_EQ(worker.asked.size(), 1U);
}

TEST(LadderTest, AJobWithAPassLimitCountsThePasses) {
  backends::registerFactory(ir::Family::kNative, [](const ir::BackendInfo&) -> std::unique_ptr<backends::Backend> {
    throw std::logic_error("a gated job makes a backend of its own");
  });
  worker::Job job;
  job.source = worker::PrintedCase{kThreeRelus};
  job.backends = {"relu_accuracy_error_TESTING_ONLY"};
  worker::JudgeTask& task = job.task.emplace<worker::JudgeTask>();
  task.blame = false;
  task.passLimit = worker::PassLimit{"relu_to_add", 2};
  const auto sent = std::get<worker::JudgeTask>(worker::batchFromLine(worker::batchLine({{}, {job}})).jobs.at(0).task);
  ASSERT_TRUE(sent.passLimit.has_value());
  EXPECT_EQ(sent.passLimit->pass, "relu_to_add");
  EXPECT_EQ(sent.passLimit->limit, 2);
  using Passes = std::vector<std::pair<std::string, int64_t>>;
  std::vector<std::string> lasts;
  // Each run counts from one, and stops where it is told to, whatever ran before it.
  for (const int64_t limit : {2, 0, 1, 3, 0, 2}) {
    task.passLimit->limit = limit;
    const worker::JobResult result = worker::resultFromLine(worker::resultLine(worker::runCaseJob(job)));
    ASSERT_EQ(result.backends.size(), 1U);
    EXPECT_EQ(result.backends[0].outcome, limit == 0 ? Outcome::kAgreed : Outcome::kDiffers)
        << result.backends[0].message;
    EXPECT_EQ(result.backends[0].passes, (Passes{{"relu_to_add", 3}})) << limit;
    lasts.push_back(result.backends[0].lastApplied);
  }
  EXPECT_EQ(lasts[0], lasts[5]);
  EXPECT_EQ(std::set<std::string>(lasts.begin(), lasts.end()).size(), 4U) << "none, and three relus";
  task.passLimit = worker::PassLimit{"", 0}; // only count
  EXPECT_EQ(worker::runCaseJob(job).backends.at(0).passes, (Passes{{"relu_to_add", 3}}));
}

TEST(LadderTest, TwoBisectionsShareNoState) {
  native::registerNativeBackends();
  const pool::RunJob run = [](const worker::Job& job) { return worker::runCaseJob(job); };
  const std::vector<report::Rung> rungs = triage::ladderTo("relu_accuracy_error_TESTING_ONLY");
  std::vector<triage::Bisection> bisections;
  const pool::RunJob interleaved = [&](const worker::Job& job) { // another one is at work between each two runs
    bisections.push_back(triage::bisect(kThreeRelus, rungs, run));
    return worker::runCaseJob(job);
  };
  bisections.push_back(triage::bisect(kThreeRelus, rungs, interleaved));
  ASSERT_GE(bisections.size(), 4U);
  for (const triage::Bisection& each : bisections) {
    ASSERT_TRUE(each.fault.has_value());
    EXPECT_EQ(each.fault->pass, "relu_to_add");
    EXPECT_EQ(each.fault->number, 1);
    EXPECT_EQ(each.fault->where, bisections[0].fault->where);
    EXPECT_EQ(each.passes, bisections[0].passes);
    EXPECT_EQ(each.runs, bisections[0].runs);
  }
}

} // namespace touchstone::tests
