#include "harness/baseline/Retest.h"

#include "harness/worker/Handshake.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"
#include "tests/harness/BinaryRun.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

using nlohmann::json;

constexpr const char* kPlanted = "relu_accuracy_error_TESTING_ONLY";

/// A finding of the planted backend, or what is listed as one.
std::string findingText(const std::string& result = "torch.relu(x)",
                        const std::string& symptom = "Differs/values/output", const std::string& backend = kPlanted) {
  parser::ParseOptions options;
  options.checkMainPart = false;
  const std::string headers =
      "# cluster: " + result.substr(6, 4) + "\n# backend: " + backend + "\n# symptom: " + symptom + "\n";
  return standalone::printCase(parser::parseCase(smallCase(result, headers), options));
}

std::map<std::string, std::string> statusesOf(const BinaryRun& run) {
  std::map<std::string, std::string> statuses;
  const json results = json::parse(run.output).at("results");
  for (const json& each : results) {
    statuses[each.at("id")] = each.at("status");
  }
  return statuses;
}

class RetestTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_{"retest"};
};

} // namespace

TEST_F(RetestTest, WhatIsThereStillIsAsListed) {
  const std::string file = folder_.file("finding.py", findingText());
  const BinaryRun run = runBinary({"retest", file, "--json"});
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(statusesOf(run)["relu"], "still there");
}

TEST_F(RetestTest, WhatIsMendedIsToBeRemoved) {
  const std::string file = folder_.file("finding.py", findingText());
  const BinaryRun other = runBinary({"retest", file, "--json", "--backend", "aot_eager"});
  EXPECT_EQ(other.status, 1) << other.errors;
  EXPECT_EQ(statusesOf(other)["relu"], "fixed: remove me");
  const std::string mended = folder_.file("mended.py", findingText("torch.sin(x)"));
  const BinaryRun run = runBinary({"retest", mended});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.output.find("fixed: remove me"), std::string::npos) << run.output;
}

TEST_F(RetestTest, WhatWasFoundUnderAProfileIsNotFixedForWantOfIt) {
  const std::string text = findingText("torch.relu(x)", "Differs/values/output", "aot_eager"); // which agrees
  const std::string file =
      folder_.file("finding.py", "# touchstone: 1\n# profile: profile-12ab.json\n" + text.substr(text.find('\n') + 1));
  const BinaryRun without = runBinary({"retest", file, "--json"});
  EXPECT_EQ(without.status, 4) << without.errors;
  EXPECT_EQ(statusesOf(without)["relu"], "not judged");
  EXPECT_NE(without.output.find("found with the profile `profile-12ab.json`"), std::string::npos) << without.output;
  folder_.file("profile-12ab.json", "{\"backend\": \"aot_eager\", \"rules\": \"strict\"}");
  folder_.file("profile-34cd.json", "{\"backend\": \"aot_eager\", \"rules\": \"aot\"}");
  EXPECT_EQ(statusesOf(runBinary({"retest", file, "--json"}))["relu"], "fixed: remove me") << "its own is taken";
}

TEST_F(RetestTest, AnotherSymptomIsAChange) {
  const std::string file = folder_.file("finding.py", findingText("torch.relu(x)", "Differs/strides/output"));
  const BinaryRun run = runBinary({"retest", file, "--json"});
  EXPECT_EQ(run.status, 1) << run.errors;
  EXPECT_EQ(statusesOf(run)["relu"], "changed");
}

TEST_F(RetestTest, KnownEntriesAreRunAndExpire) {
  folder_.file("finding.py", findingText());
  const std::string known = folder_.file("known.json", R"json({"schema": 1, "known": [
    {"id": "planted", "backend": "relu_*", "pattern": ["relu(_)"], "reason": "planted", "expires": "2027-03-01", "case": "finding.py"},
    {"id": "untold", "cluster": "x-1", "reason": "none", "expires": "2027-06-01"}]})json");
  const BinaryRun before = runBinary({"retest", "--known", known, "--json", "--today", "2027-03-01"});
  EXPECT_EQ(before.status, 0) << before.errors;
  EXPECT_EQ(statusesOf(before)["planted"], "still there");
  EXPECT_EQ(statusesOf(before)["untold"], "no case");
  const BinaryRun after = runBinary({"retest", "--known", known, "--today", "2027-03-02"});
  EXPECT_EQ(after.status, 1);
  EXPECT_NE(after.output.find("FAIL planted"), std::string::npos) << after.output;
  EXPECT_NE(after.output.find("EXPIRED 2027-03-01"), std::string::npos) << after.output;
}

TEST_F(RetestTest, AFileThatNamesNoBackendIsLeftOutByName) {
  const std::string file = folder_.file("plain.py", smallCase("torch.sin(x)"));
  const BinaryRun run = runBinary({"retest", file});
  EXPECT_EQ(run.status, 4);
  EXPECT_NE(run.errors.find("plain.py names no backend and expects no finding"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("--backend"), std::string::npos) << run.errors;
  EXPECT_EQ(run.output, "Nothing was run again.\n");
  EXPECT_EQ(json::parse(runBinary({"retest", file, "--json"}).output).at("left_out"), json::array({file}));
  EXPECT_EQ(runBinary({"retest"}).status, 2);
}

TEST_F(RetestTest, ManyFilesThatNameNoBackendAreToldInOneLine) {
  folder_.file("finding.py", findingText());
  for (int i = 0; i < 11; ++i) {
    folder_.file("plain" + std::to_string(i) + ".py", smallCase("torch.sin(x)"));
  }
  const BinaryRun run = runBinary({"retest", folder_.path()});
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.errors.find("11 files, of which "), std::string::npos) << run.errors;
  EXPECT_NE(run.output.find("1 of 1 run again"), std::string::npos) << run.output;
}

TEST_F(RetestTest, AGivenBackendRunsEachFileOnce) {
  const std::string plain = folder_.file("plain.py", smallCase("torch.relu(x)"));
  const std::string two = folder_.file(
      "two.py", smallCase("torch.relu(x)", "# expect: eager Differs/values\n# expect: aot_eager Differs/values\n"));
  const BinaryRun run = runBinary({"retest", plain, two, "--json", "--backend", kPlanted});
  EXPECT_EQ(run.status, 0) << run.output << run.errors;
  const json results = json::parse(run.output).at("results");
  ASSERT_EQ(results.size(), 2u);
  for (const json& each : results) {
    EXPECT_EQ(each.at("backend"), kPlanted);
    EXPECT_EQ(each.at("status"), "still there") << each;
  }
}

TEST_F(RetestTest, AStoreThatCannotBeUsedDoesNotTakeTheSummary) {
  const std::string file = folder_.file("finding.py", findingText());
  folder_.file("store.sqlite", "no database\n");
  const BinaryRun run = runBinary({"retest", file});
  EXPECT_EQ(run.status, 2) << run.errors;
  EXPECT_NE(run.errors.find("is not recorded"), std::string::npos) << run.errors;
  EXPECT_NE(run.output.find("1 of 1 run again"), std::string::npos) << run.output;
}

/// A worker that does not look at its jobs answers Agreed and the finding in turn.
TEST_F(RetestTest, RunsThatDisagreeAreFlaky) {
  constexpr const char* kIdToReplace = "424242";
  std::vector<std::string> answers;
  for (const language::Outcome outcome : {language::Outcome::kAgreed, language::Outcome::kDiffers}) {
    worker::JobResult answer;
    answer.id = std::stoull(kIdToReplace);
    worker::BackendResult& backend = answer.backends.emplace_back();
    backend.backend = backend.origin = kPlanted;
    backend.outcome = outcome;
    backend.text = outcome == language::Outcome::kAgreed ? "Agreed" : "Differs/values/call 0 output 0";
    backend.symptom = outcome == language::Outcome::kAgreed ? "" : "Differs/values/output 0";
    answers.push_back(folder_.file("answer" + std::to_string(answers.size()), worker::resultLine(answer) + "\n"));
  }
  const std::string script =
      folder_.file("worker",
                   "#!/bin/bash\n"
                   "eval \"exec 3<&${*: -2:1} 4>&${*: -1}\"\n"
                   "echo '" +
                       worker::handshakeLine("") +
                       "' >&4\n"
                       "turn=0\n"
                       "while read -r batch <&3; do\n"
                       "  for id in $(grep -oE '\"id\":[0-9]+' <<<\"$batch\" | cut -d: -f2); do\n"
                       "    sed s/" +
                       kIdToReplace + "/$id/ '" + folder_.path().string() +
                       "/answer'$((turn++ % 2)) >&4\n"
                       "  done\n"
                       "done\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  pool::PoolOptions options{1, {kPlanted}};
  options.nativeWorker = script;
  pool::WorkerPool pool(options);
  parser::ParseOptions parsing;
  parsing.checkMainPart = false;
  std::vector<baseline::RetestResult> results;
  baseline::retest(pool, baseline::subjectsIn("finding.py", parser::parseCase(findingText(), parsing)),
                   [&](const baseline::RetestResult& result) { results.push_back(result); });
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].status, baseline::RetestStatus::kFlaky);
  EXPECT_FALSE(results[0].needsAPerson());
  EXPECT_NE(results[0].found.find("Agreed"), std::string::npos) << results[0].found;
}

} // namespace touchstone::tests
