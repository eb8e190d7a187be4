#include "harness/Campaign.h"
#include "harness/worker/Greeting.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace touchstone::harness {

namespace {

using graph::Outcome;

constexpr const char* kIdToReplace = "424242";

/// A worker that does not look at its jobs: each is answered with the same Case and the same difference.
PoolOptions workerThatAlwaysDiffers(const TemporaryFolder& folder) {
  JobResult answer;
  answer.id = std::stoull(kIdToReplace);
  answer.caseText = smallCase("torch.sin(x)");
  BackendResult& backend = answer.backends.emplace_back();
  backend.backend = backend.origin = "eager";
  backend.outcome = Outcome::kDiffers;
  backend.text = "Differs/values/call 0 output 0";
  backend.symptom = "Differs/values/output 0";
  const std::string line = folder.file("answer", resultLine(answer) + "\n");
  const std::string script = folder.file("worker",
                                         "#!/bin/bash\n"
                                         "eval \"exec 3<&${*: -2:1} 4>&${*: -1}\"\n"
                                         "echo '" +
                                             greetingLine("") +
                                             "' >&4\n"
                                             "while read -r batch <&3; do\n"
                                             "  for id in $(grep -oE '\"id\":[0-9]+' <<<\"$batch\" | cut -d: -f2); do\n"
                                             "    sed s/" +
                                             kIdToReplace + "/$id/ '" + line +
                                             "' >&4\n"
                                             "  done\n"
                                             "done\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return {1, {"eager"}, {}, script};
}

} // namespace

TEST(CampaignTest, WhatHoldsAClusterOfThisCampaignIsMaskedAndEachEighthIsReducedAllTheSame) {
  const TemporaryFolder folder("masked");
  WorkerPool pool(workerThatAlwaysDiffers(folder));
  FindingStore store(folder.path() / "findings");
  EventLog events("");
  FuzzOptions options;
  options.backends = {"eager"};
  options.cases = 10;
  options.reduceSeconds = 0;
  const CampaignResult result = Campaign(options, /*seed=*/1, pool, store, events).run();
  ASSERT_EQ(result.report.findings.size(), 1u);
  const BackendTally& eager = result.report.tally.backends.at("eager");
  EXPECT_EQ(eager.count(Outcome::kMasked), 8); // all but the first and the ninth
  EXPECT_EQ(eager.count(Outcome::kDiffers), 2);
  EXPECT_EQ(result.report.findings[0].hits, 2) << "a Masked Case is no hit";
  EXPECT_EQ(eager.count(Outcome::kKnown), 0);
  ASSERT_TRUE(result.report.findings[0].stage.has_value());
  EXPECT_EQ(result.report.findings[0].stage->backend, "eager");
}

TEST(CampaignTest, WhatHoldsAClusterOfAnEarlierCampaignIsKnown) {
  const TemporaryFolder folder("known");
  FuzzOptions options;
  options.backends = {"eager"};
  options.cases = 2;
  options.reduceSeconds = 0;
  for (const int64_t known : {0, 2}) {
    WorkerPool pool(workerThatAlwaysDiffers(folder));
    FindingStore store(folder.path() / "findings");
    EventLog events("");
    const CampaignResult result = Campaign(options, /*seed=*/1, pool, store, events).run();
    EXPECT_EQ(result.report.tally.backends.at("eager").count(Outcome::kKnown), known);
    EXPECT_EQ(result.report.findings.size(), known == 0 ? 1u : 0u);
  }
}

TEST(CampaignTest, WhatFailsInAnotherWayWhileReducingIsAFindingOfItsOwn) {
  const TemporaryFolder folder("others");
  std::vector<nlohmann::json> runs;
  for (const char* jobs : {"1", "2"}) {
    const BinaryRun run = runBinary({"fuzz", "--seed", "7", "--start", "4", "--cases", "1", "--jobs", jobs,
                                     "--backends", "relu_accuracy_error_TESTING_ONLY", "--findings",
                                     folder.path() / jobs, "--masks", "none", "--json"});
    const nlohmann::json object = nlohmann::json::parse(run.output, nullptr, /*allow_exceptions=*/false);
    ASSERT_TRUE(object.is_object()) << run.output << run.errors;
    const nlohmann::json& findings = object.at("findings");
    ASSERT_EQ(findings.size(), 2u) << run.output;
    EXPECT_EQ(findings[0].at("found_by"), "seed 7 case 4");
    EXPECT_EQ(findings[1].at("found_by"), "seed 7 case 4, while reducing " + findings[0].at("id").get<std::string>());
    EXPECT_NE(findings[0].at("symptom"), findings[1].at("symptom"));
    runs.push_back({findings[0].at("id"), findings[1].at("id")});
  }
  EXPECT_EQ(runs[0], runs[1]) << "whatever the number of workers";
}

} // namespace touchstone::harness
