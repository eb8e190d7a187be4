#include "harness/Ladder.h"

#include "backends/Registry.h"
#include "harness/Bisection.h"
#include "harness/worker/CaseJob.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace touchstone::harness {

namespace {

using graph::Outcome;

std::vector<std::string> namesOf(const std::vector<Rung>& rungs) {
  std::vector<std::string> names;
  for (const Rung& rung : rungs) {
    names.push_back(rung.backend);
  }
  return names;
}

BackendResult resultOf(const std::string& backend, Outcome outcome, const std::string& text) {
  BackendResult result;
  result.backend = backend;
  result.outcome = outcome;
  result.text = text;
  result.message = outcome == Outcome::kAgreed ? "" : "because";
  return result;
}

/// A worker in which every pipeline agrees but those named; with a limit for `pass`, these agree below `wrong`.
struct FakeWorker {
  std::map<std::string, Outcome> outcomes;
  std::string pass;
  int64_t count = 0, wrong = 0;
  std::vector<Job> asked;

  JobResult operator()(const Job& job) {
    asked.push_back(job);
    JobResult result;
    for (const std::string& name : job.backends) {
      const auto found = outcomes.find(name);
      Outcome outcome = found == outcomes.end() ? Outcome::kAgreed : found->second;
      if (job.passLimit && job.passLimit->pass == pass && job.passLimit->limit < wrong) {
        outcome = Outcome::kAgreed;
      }
      result.backends.push_back(resultOf(name, outcome, std::string(graph::outcomeName(outcome))));
      if (job.passLimit && count > 0) {
        result.backends.back().passes = {{"other", 3}, {pass, count}};
        result.backends.back().lastApplied = "node_" + std::to_string(job.passLimit->limit);
      }
    }
    return result;
  }
};

} // namespace

TEST(LadderTest, RungsAreBackendsOfTheirFamilyInOrder) {
  const std::vector<std::string> native{"eager", "aot_joint", "aot_functional", "aot_eager_default_partitioner"};
  EXPECT_EQ(namesOf(ladderOf(graph::Family::kNative)), native);
  for (const graph::Family family : {graph::Family::kNative, graph::Family::kTorch}) {
    for (const Rung& rung : ladderOf(family)) {
      EXPECT_EQ(backends::backendInfo(rung.backend).family, family) << rung.backend;
    }
  }
}

TEST(LadderTest, ABackendsLadderEndsWithIt) {
  EXPECT_EQ(namesOf(ladderTo("aot_functional")), (std::vector<std::string>{"eager", "aot_joint", "aot_functional"}));
  EXPECT_EQ(namesOf(ladderTo("aot_eager")),
            (std::vector<std::string>{"eager", "aot_joint", "aot_functional", "aot_eager"}));
  EXPECT_EQ(namesOf(ladderTo("torch:aot_eager")),
            (std::vector<std::string>{"torch:eager_python", "torch:eager", "torch:aot_eager"}));
  EXPECT_EQ(namesOf(ladderTo("torch:my:own")).back(), "torch:my:own");
  EXPECT_THROW(ladderTo("no_such_backend"), std::invalid_argument);
}

TEST(LadderTest, TheFirstThatDiffersIsToBlame) {
  FakeWorker worker{
      {{"eager", Outcome::kUnsupported}, {"aot_functional", Outcome::kDiffers}, {"aot_eager", Outcome::kCrashed}}};
  const Ladder ladder = climb("text", ladderTo("aot_eager"), std::ref(worker));
  ASSERT_EQ(worker.asked.size(), 1U);
  EXPECT_FALSE(worker.asked[0].blame);
  EXPECT_EQ(worker.asked[0].caseText, "text");
  ASSERT_TRUE(ladder.first.has_value());
  EXPECT_EQ(ladder.rungs[*ladder.first].backend, "aot_functional");
  const std::string text = ladderText(ladder);
  EXPECT_NE(text.find("  aot_joint       Agreed       tracing"), std::string::npos) << text;
  EXPECT_NE(text.find("  aot_functional  Differs      functionalization"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    because\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nFirst to differ: aot_functional (functionalization"), std::string::npos) << text;
}

TEST(LadderTest, AgreementAndNothingJudgedAreTold) {
  FakeWorker good, none{{{"eager", Outcome::kUnsupported}}};
  const Ladder agreed = climb("", ladderTo("eager"), std::ref(good));
  EXPECT_TRUE(agreed.anyJudged);
  EXPECT_NE(ladderText(agreed).find("No rung differs."), std::string::npos);
  const Ladder unjudged = climb("", ladderTo("eager"), std::ref(none));
  EXPECT_FALSE(unjudged.first.has_value() || unjudged.anyJudged);
  EXPECT_NE(ladderText(unjudged).find("No rung could be judged."), std::string::npos);
}

TEST(LadderTest, BisectingFindsPassAndApplication) {
  FakeWorker worker{{{"aot_eager", Outcome::kDiffers}}, "fusing", 100, 37};
  const Bisection bisection = bisect("text", ladderTo("aot_eager"), std::ref(worker));
  ASSERT_TRUE(bisection.fault.has_value());
  EXPECT_EQ(bisection.fault->pass, "fusing");
  EXPECT_EQ(bisection.fault->number, 37);
  EXPECT_EQ(bisection.fault->where, "node_37");
  EXPECT_EQ(bisection.passes.size(), 2U);
  EXPECT_EQ(static_cast<size_t>(bisection.runs) + 1, worker.asked.size());
  for (size_t i = 1; i < worker.asked.size(); ++i) {
    EXPECT_EQ(worker.asked[i].backends, std::vector<std::string>{"aot_eager"});
    EXPECT_FALSE(worker.asked[i].blame);
  }
}

TEST(LadderTest, PassesOfTheInstalledPyTorchAreLeftToIt) {
  FakeWorker worker{{{"torch:aot_eager", Outcome::kDiffers}}};
  const Bisection bisection = bisect("text", ladderTo("torch:aot_eager"), std::ref(worker));
  EXPECT_TRUE(bisection.ladder.first.has_value());
  EXPECT_FALSE(bisection.fault.has_value());
  EXPECT_EQ(worker.asked.size(), 1U);
}

TEST(LadderTest, AJobWithAPassLimitCountsThePasses) {
  backends::registerFactory(graph::Family::kNative,
                            [](const graph::BackendInfo&) -> std::unique_ptr<backends::Backend> {
                              throw std::logic_error("a gated job makes a backend of its own");
                            });
  Job job;
  job.caseText = smallCase("torch.sin(x) * torch.cos(x)");
  job.backends = {"aot_eager"};
  job.passLimit = Job::PassLimit{"", 0};
  const Job sent = batchFromLine(batchLine({{}, {job}})).jobs.at(0);
  ASSERT_TRUE(sent.passLimit.has_value());
  const JobResult result = resultFromLine(resultLine(runCaseJob(sent)));
  ASSERT_EQ(result.backends.size(), 1U);
  EXPECT_EQ(result.backends[0].outcome, Outcome::kAgreed) << result.backends[0].message;
  job.passLimit = Job::PassLimit{"saved_values", 1};
  EXPECT_EQ(runCaseJob(job).backends.at(0).outcome, Outcome::kAgreed);
}

} // namespace touchstone::harness
