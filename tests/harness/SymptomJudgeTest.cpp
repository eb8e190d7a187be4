#include "BinaryRun.h"
#include "harness/triage/Confirmation.h"
#include "harness/worker/Handshake.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

constexpr const char* kWrongRelu = "relu_accuracy_error_TESTING_ONLY";

language::Case judged(const std::string& result, const std::string& before = "") {
  parser::ParseOptions options;
  options.checkMainPart = false;
  std::string text = smallCase(result);
  text.insert(text.find("    return " + result), before);
  return parser::parseCase(text, options);
}

pool::WorkerPool nativePool(int workers) {
  return pool::WorkerPool({workers, {kWrongRelu}, {}, TOUCHSTONE_BINARY_DIR "/harness/touchstone"});
}

worker::BackendResult resultOf(pool::WorkerPool& pool, const language::Case& theCase) {
  worker::Job job;
  job.source = worker::PrintedCase{standalone::printCase(theCase)};
  job.backends = {kWrongRelu};
  return pool.run({{ir::Family::kNative, {pool::limitsFor(job.backends), {job}}}}).at(0).backends.at(0);
}

/// A worker that does not look at its jobs: the first, the third, … differ, the others agree.
pool::PoolOptions workerThatDiffersEveryOtherTime(const TemporaryFolder& folder) {
  std::vector<std::string> files;
  for (const bool differs : {true, false}) {
    worker::JobResult answer;
    answer.id = 424242;
    worker::BackendResult& backend = answer.backends.emplace_back();
    backend.backend = "eager";
    backend.text = "Agreed";
    if (differs) {
      backend.origin = "eager";
      backend.outcome = language::Outcome::kDiffers;
      backend.text = "Differs/values/call 0 output 0";
      backend.symptom = "Differs/values/output 0";
    }
    files.push_back(folder.file(differs ? "differs" : "agrees", worker::resultLine(answer) + "\n"));
  }
  const std::string script =
      folder.file("worker", "#!/bin/bash\neval \"exec 3<&${*: -2:1} 4>&${*: -1}\"\necho '" + worker::handshakeLine("") +
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
  const language::Case start = judged("torch.relu(x)");
  for (const int workers : {1, 2}) {
    pool::WorkerPool pool = nativePool(workers);
    const worker::BackendResult found = resultOf(pool, start);
    const auto isExcluded = [](const language::Case& candidate, const worker::Symptom& shown) {
      return shown.backend == kWrongRelu &&
             language::printFunction(candidate.program()).find("sin") != std::string::npos;
    };
    const triage::SymptomJudge judge(pool, found, start, {.workers = workers, .isExcluded = isExcluded});
    const auto sighting = judge({judged("torch.relu(x.sin())"), judged("x.cos()"), judged("torch.relu(x)")});
    ASSERT_TRUE(sighting.has_value());
    EXPECT_EQ(sighting->candidate, 2u);
    EXPECT_FALSE(judge({judged("torch.relu(x.sin())"), judged("x.cos()")}).has_value());
  }
}

TEST(SymptomJudgeTest, OfWhatEveryRunJudgesOtherFindingsAreHandedOut) {
  const language::Case start = judged("torch.relu(x)");
  // Writes what differs to an argument; then the one that is taken, and what two workers judge and one does not.
  const std::string writes = "    y = x.sin()\n    x.copy_(torch.relu(x))\n";
  const std::vector<language::Case> candidates{judged("y", writes), judged("torch.relu(x)"), judged("y.cos()", writes),
                                               judged("x.cos()")};
  for (const int workers : {1, 2}) {
    pool::WorkerPool pool = nativePool(workers);
    std::vector<std::string> handedOut;
    findings::OtherFindings met;
    const triage::SymptomJudge judge(
        pool, resultOf(pool, start), start,
        {.workers = workers, .onOther = [&](const language::Case& each, const worker::BackendResult& result) {
           handedOut.push_back(standalone::printCase(each));
           met.add(each, result);
         }});
    ASSERT_TRUE(judge(candidates).has_value());
    EXPECT_EQ(handedOut, std::vector<std::string>{standalone::printCase(candidates[0])}) << workers << " workers";
    judge({candidates[0]});
    ASSERT_EQ(met.all().size(), 1u) << "one a symptom";
    EXPECT_EQ(standalone::printCase(met.all()[0].theCase), standalone::printCase(candidates[0]));
    EXPECT_NE(worker::symptomOf(met.all()[0].result).text, worker::symptomOf(resultOf(pool, start)).text);
  }
}

TEST(SymptomJudgeTest, OtherFindingsAreBounded) {
  findings::OtherFindings met;
  for (int i = 0; i < 100; ++i) {
    worker::BackendResult result;
    result.outcome = language::Outcome::kBackendRejected;
    result.symptom = "BackendRejected/Error" + std::string(static_cast<size_t>(i / 2), 'x');
    met.add(judged("x.sin()"), result);
  }
  EXPECT_EQ(met.all().size(), 8u);
}

TEST(SymptomJudgeTest, TheLastStepThatStillFailsIsFound) {
  pool::WorkerPool pool = nativePool(1);
  const language::Case start = judged("torch.relu(x)");
  const worker::BackendResult found = resultOf(pool, start);
  const auto last =
      findings::confirmLast(triage::aloneIn(pool), {start, judged("torch.relu(x + 1)"), judged("x + 1")}, found, 1);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->step, 1u);
  EXPECT_FALSE(
      findings::confirmLast(triage::aloneIn(pool), {judged("x.sin()"), judged("x + 1")}, found, 1).has_value());
}

TEST(SymptomJudgeTest, AFlakySymptomIsSeenByRepetition) {
  const TemporaryFolder folder("flaky");
  const language::Case start = judged("x.sin()");
  pool::WorkerPool pool(workerThatDiffersEveryOtherTime(folder));
  worker::BackendResult found;
  found.backend = found.origin = "eager";
  found.outcome = language::Outcome::kDiffers;
  found.symptom = "Differs/values/output 0";
  const findings::Confirmation confirmation = triage::aloneIn(pool)(standalone::printCase(start), found, 4);
  EXPECT_FALSE(confirmation.recurs());
  EXPECT_EQ(confirmation.shown, 2);
  EXPECT_EQ(confirmation.runs, 4);
  EXPECT_EQ(confirmation.result.outcome, language::Outcome::kDiffers) << "of a run that showed it";
  const triage::SymptomJudge twice(pool, found, start, {.repetitions = 2});
  EXPECT_TRUE(twice({judged("x.cos()")}).has_value());
  EXPECT_EQ(twice({judged("x.cos()"), judged("x.tan()")})->candidate, 0u);
  const triage::SymptomJudge once(pool, found, start, {});
  EXPECT_TRUE(once({judged("x.cos()")}).has_value());
  EXPECT_FALSE(once({judged("x.cos()")}).has_value()) << "this run does not show it";
  EXPECT_TRUE(findings::confirmLast(triage::aloneIn(pool), {start}, found, 2, /*isFlaky=*/true).has_value());
  EXPECT_FALSE(findings::confirmLast(triage::aloneIn(pool), {start}, found, 2, /*isFlaky=*/false).has_value());
}

} // namespace touchstone::tests
