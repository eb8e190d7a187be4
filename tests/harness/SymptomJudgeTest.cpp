#include "BinaryRun.h"
#include "graph/program/CaseParser.h"
#include "graph/program/CasePrinter.h"
#include "harness/Confirmation.h"
#include "harness/reducer/Neighbours.h"
#include "harness/worker/Greeting.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace touchstone::harness {

namespace {

constexpr const char* kWrongRelu = "relu_accuracy_error_TESTING_ONLY";

graph::Case judged(const std::string& result, const std::string& before = "") {
  graph::ParseOptions options;
  options.checkMainPart = false;
  std::string text = smallCase(result);
  text.insert(text.find("    return " + result), before);
  return graph::parseCase(text, options);
}

WorkerPool nativePool(int workers) {
  return WorkerPool({workers, {kWrongRelu}, {}, TOUCHSTONE_BINARY_DIR "/harness/touchstone"});
}

BackendResult resultOf(WorkerPool& pool, const graph::Case& theCase) {
  Job job;
  job.caseText = graph::printCase(theCase);
  job.backends = {kWrongRelu};
  return pool.run({{graph::Family::kNative, {limitsFor(job.backends), {job}}}}).at(0).backends.at(0);
}

/// A worker that does not look at its jobs: the first, the third, … differ, the others agree.
PoolOptions workerThatDiffersEveryOtherTime(const TemporaryFolder& folder) {
  std::vector<std::string> files;
  for (const bool differs : {true, false}) {
    JobResult answer;
    answer.id = 424242;
    BackendResult& backend = answer.backends.emplace_back();
    backend.backend = "eager";
    backend.text = "Agreed";
    if (differs) {
      backend.origin = "eager";
      backend.outcome = graph::Outcome::kDiffers;
      backend.text = "Differs/values/call 0 output 0";
      backend.symptom = "Differs/values/output 0";
    }
    files.push_back(folder.file(differs ? "differs" : "agrees", resultLine(answer) + "\n"));
  }
  const std::string script =
      folder.file("worker", "#!/bin/bash\neval \"exec 3<&${*: -2:1} 4>&${*: -1}\"\necho '" + greetingLine("") +
                                "' >&4\nthis='" + files[0] + "' next='" + files[1] +
                                "'\nwhile read -r batch <&3; do\n"
                                "  for id in $(grep -oE '\"id\":[0-9]+' <<<\"$batch\" | cut -d: -f2); do\n"
                                "    sed s/424242/$id/ \"$this\" >&4\n"
                                "    swap=\"$this\"; this=\"$next\"; next=\"$swap\"\n"
                                "  done\n"
                                "done\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return {1, {"eager"}, {}, script};
}

} // namespace

TEST(SymptomJudgeTest, WhatIsExcludedDoesNotCountAndWhatIsBehindItIsJudged) {
  const graph::Case start = judged("torch.relu(x)");
  for (const int workers : {1, 2}) {
    WorkerPool pool = nativePool(workers);
    const BackendResult found = resultOf(pool, start);
    const auto isExcluded = [](const graph::Case& candidate, const Symptom& shown) {
      return shown.backend == kWrongRelu && graph::printFunction(candidate.program()).find("sin") != std::string::npos;
    };
    const SymptomJudge judge(pool, found, start, {.workers = workers, .isExcluded = isExcluded});
    const auto sighting = judge({judged("torch.relu(x.sin())"), judged("x.cos()"), judged("torch.relu(x)")});
    ASSERT_TRUE(sighting.has_value());
    EXPECT_EQ(sighting->candidate, 2u);
    EXPECT_FALSE(judge({judged("torch.relu(x.sin())"), judged("x.cos()")}).has_value());
  }
}

TEST(SymptomJudgeTest, OfWhatEveryRunJudgesNeighboursAreHandedOut) {
  const graph::Case start = judged("torch.relu(x)");
  // Writes what differs to an argument; then one that behaves, the one that is taken, and what some runs judge only.
  const std::vector<graph::Case> candidates{judged("y", "    y = x.sin()\n    x.copy_(torch.relu(x))\n"),
                                            judged("x.cos()"), judged("torch.relu(x)"), judged("x.tan()"),
                                            judged("x.exp()")};
  for (const int workers : {1, 2}) {
    WorkerPool pool = nativePool(workers);
    Neighbours neighbours;
    const SymptomJudge judge(
        pool, resultOf(pool, start), start,
        {.workers = workers,
         .onOther = [&](const graph::Case& each, const BackendResult& result) { neighbours.addOther(each, result); },
         .onBehaving = [&](const graph::Case& each) { neighbours.addBehaving(each); }});
    ASSERT_TRUE(judge(candidates).has_value());
    ASSERT_EQ(neighbours.behaving().size(), 1u) << workers << " workers";
    EXPECT_EQ(graph::printCase(neighbours.behaving()[0]), graph::printCase(candidates[1]));
    judge({candidates[0]});
    ASSERT_LE(neighbours.others().size(), 1u) << "one a symptom";
    ASSERT_EQ(neighbours.others().size(), 1u);
    EXPECT_EQ(graph::printCase(neighbours.others()[0].theCase), graph::printCase(candidates[0]));
    EXPECT_NE(symptomOf(neighbours.others()[0].result).text, symptomOf(resultOf(pool, start)).text);
  }
}

TEST(SymptomJudgeTest, NeighboursAreBounded) {
  Neighbours neighbours;
  for (int i = 0; i < 100; ++i) {
    BackendResult result;
    result.outcome = graph::Outcome::kBackendRejected;
    result.symptom = "BackendRejected/Error" + std::string(static_cast<size_t>(i / 2), 'x');
    neighbours.addOther(judged("x.sin()"), result);
    neighbours.addBehaving(judged("x + " + std::to_string(i)));
  }
  EXPECT_EQ(neighbours.others().size(), 8u);
  ASSERT_EQ(neighbours.behaving().size(), 64u);
  EXPECT_NE(graph::printCase(neighbours.behaving().back()).find("x + 99"), std::string::npos);
}

TEST(SymptomJudgeTest, TheLastStepThatStillFailsIsFound) {
  WorkerPool pool = nativePool(1);
  const graph::Case start = judged("torch.relu(x)");
  const BackendResult found = resultOf(pool, start);
  const auto last = confirmLast(pool, {start, judged("torch.relu(x + 1)"), judged("x + 1")}, found, 1);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->step, 1u);
  EXPECT_FALSE(confirmLast(pool, {judged("x.sin()"), judged("x + 1")}, found, 1).has_value());
}

TEST(SymptomJudgeTest, AFlakySymptomIsSeenByRepetition) {
  const TemporaryFolder folder("flaky");
  const graph::Case start = judged("x.sin()");
  WorkerPool pool(workerThatDiffersEveryOtherTime(folder));
  BackendResult found;
  found.backend = found.origin = "eager";
  found.outcome = graph::Outcome::kDiffers;
  found.symptom = "Differs/values/output 0";
  const Confirmation confirmation = confirm(pool, graph::printCase(start), found, 4);
  EXPECT_FALSE(confirmation.recurs);
  EXPECT_EQ(confirmation.shown, 2);
  EXPECT_EQ(confirmation.runs, 4);
  EXPECT_EQ(confirmation.result.outcome, graph::Outcome::kDiffers) << "of a run that showed it";
  const SymptomJudge twice(pool, found, start, {.repetitions = 2});
  EXPECT_TRUE(twice({judged("x.cos()")}).has_value());
  EXPECT_EQ(twice({judged("x.cos()"), judged("x.tan()")})->candidate, 0u);
  const SymptomJudge once(pool, found, start, {});
  EXPECT_TRUE(once({judged("x.cos()")}).has_value());
  EXPECT_FALSE(once({judged("x.cos()")}).has_value()) << "this run does not show it";
  EXPECT_TRUE(confirmLast(pool, {start}, found, 2, /*isFlaky=*/true).has_value());
  EXPECT_FALSE(confirmLast(pool, {start}, found, 2, /*isFlaky=*/false).has_value());
}

} // namespace touchstone::harness
