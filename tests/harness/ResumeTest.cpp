#include "base/ExitStatus.h"
#include "harness/campaign/CampaignRecord.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

/// Wrong on purpose, so there are findings to be kept.
constexpr const char* kWrongBackend = "relu_accuracy_error_TESTING_ONLY";

std::vector<std::string> campaignIn(const std::filesystem::path& folder) {
  return {"fuzz",       "--cases", "200",   "--seed", "2", "--backends", std::string("eager,") + kWrongBackend,
          "--findings", folder,    "--json"};
}

/// Position and number of findings of the state that is written there; nothing yet: 0 and 0.
std::pair<uint64_t, size_t> stateIn(const std::filesystem::path& folder) {
  std::ifstream file(folder / "campaign.json");
  const nlohmann::json object = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return {0, 0};
  }
  return {object.at("position").get<uint64_t>(), object.at("memory").at("findings").size()};
}

void dropTimes(nlohmann::json& object) {
  for (auto item = object.begin(); item != object.end();) {
    const bool isTime = object.is_object() && item.key().find("seconds") != std::string::npos;
    // Where the folder is differs between the two campaigns.
    const bool isPlace = object.is_object() && (item.key() == "file" || item.key() == "command");
    if (isTime || isPlace) {
      item = object.erase(item);
    } else {
      if (item->is_structured()) {
        dropTimes(*item);
      }
      ++item;
    }
  }
}

nlohmann::json summaryOf(const BinaryRun& run) {
  nlohmann::json object = nlohmann::json::parse(run.output, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(object.is_object()) << run.output << run.errors;
  for (const auto& finding : object.value("findings", nlohmann::json::array())) {
    EXPECT_TRUE(std::filesystem::exists(finding.at("file").get<std::string>())) << finding;
  }
  dropTimes(object);
  return object;
}

} // namespace

TEST(ResumeTest, KilledOrInterruptedInTheMiddleACampaignComesToTheSameEnd) {
  const TemporaryFolder folder("resume");
  const BinaryRun whole = runBinary(campaignIn(folder.path() / "whole"));
  const nlohmann::json expected = summaryOf(whole);
  ASSERT_FALSE(expected["findings"].empty()) << "nothing to be kept";
  for (const int signal : {SIGKILL, SIGINT}) {
    const std::filesystem::path findings = folder.path() / std::to_string(signal);
    const BinaryRun ended =
        runBinaryUntil(campaignIn(findings), {[&] { return stateIn(findings).first > 20; }, signal});
    ASSERT_EQ(ended.status, signal == SIGKILL ? -SIGKILL : 130) << ended.output << ended.errors;
    const uint64_t position = stateIn(findings).first;
    EXPECT_GT(position, 20U);
    EXPECT_LT(position, 200U) << "it was ended too late";
    const BinaryRun resumed = runBinary({"fuzz", "--resume", findings, "--json"});
    EXPECT_EQ(resumed.status, whole.status);
    EXPECT_EQ(summaryOf(resumed), expected) << "ended by signal " << signal << " after " << position << " Cases";
    const BinaryRun again = runBinary({"fuzz", "--resume", findings, "--json"}); // it has ended: nothing is left to do
    EXPECT_EQ(summaryOf(again), expected);
  }
}

TEST(ResumeTest, ACampaignThatHasFoundEnoughIsNotFinishedAndGoesOn) {
  const TemporaryFolder folder("resume_enough");
  std::vector<std::string> campaign = campaignIn(folder.path() / "whole");
  campaign.insert(campaign.end(),
                  {"--suppressions", "none"}); // else the first has a suppression that matches the others
  const nlohmann::json expected = summaryOf(runBinary(campaign));
  ASSERT_GE(expected["findings"].size(), 2U);
  const std::filesystem::path findings = folder.path() / "findings";
  campaign = campaignIn(findings);
  campaign.insert(campaign.end(), {"--suppressions", "none"});
  campaign.insert(campaign.end(), {"--max-findings", "1"});
  const auto isFinished = [&] {
    std::ifstream file(findings / "campaign.json");
    return nlohmann::json::parse(file).at("finished").get<bool>();
  };
  EXPECT_EQ(summaryOf(runBinary(campaign)).at("findings").size(), 1U);
  EXPECT_FALSE(isFinished());
  const BinaryRun enough = runBinary({"fuzz", "--resume", findings, "--max-findings", "1", "--json"});
  EXPECT_EQ(summaryOf(enough).at("findings").size(), 1U);
  EXPECT_NE(enough.errors.find("nothing is judged"), std::string::npos) << enough.errors;
  const BinaryRun more = runBinary({"fuzz", "--resume", findings, "--max-findings", "2", "--json"});
  EXPECT_EQ(summaryOf(more).at("findings").size(), 2U) << more.errors;
  EXPECT_FALSE(isFinished());
  EXPECT_EQ(summaryOf(runBinary({"fuzz", "--resume", findings, "--json"})), expected);
  EXPECT_TRUE(isFinished());
}

TEST(ResumeTest, TheFolderOfARunningCampaignIsNotTakenByAnother) {
  const TemporaryFolder folder("resume_lock");
  const std::filesystem::path findings = folder.path() / "findings";
  std::vector<BinaryRun> others;
  const auto isTime = [&] {
    if (stateIn(findings).first == 0) {
      return false;
    }
    others = {runBinary(campaignIn(findings)), runBinary({"fuzz", "--resume", findings})};
    return true;
  };
  std::vector<std::string> campaign = campaignIn(findings);
  campaign[2] = "1000000";
  runBinaryUntil(campaign, {isTime, SIGKILL});
  ASSERT_EQ(others.size(), 2U);
  for (const BinaryRun& other : others) {
    EXPECT_EQ(other.status, 2);
    for (const std::string& part : {"running in `" + findings.string() + "`", std::string("--findings")}) {
      EXPECT_NE(other.errors.find(part), std::string::npos) << other.errors;
    }
  }
  EXPECT_EQ(stateIn(findings).first > 0, true);
  const BinaryRun next =
      runBinary({"fuzz", "--cases", "3", "--seed", "5", "--backends", "eager", "--findings", findings});
  EXPECT_EQ(next.status, 0) << "the lock ended with its process: " << next.errors;
}

TEST(ResumeTest, WhatStoresNothingRunsInTheFolderOfAnotherAndLeavesItAsItIs) {
  const TemporaryFolder folder("resume_judge_only");
  const std::filesystem::path findings = folder.path() / "findings";
  std::vector<std::string> judging = campaignIn(findings);
  judging.push_back("--judge-only");
  BinaryRun alone = runBinary(judging);
  EXPECT_EQ(alone.status, 0) << alone.errors;
  EXPECT_FALSE(std::filesystem::exists(findings));
  BinaryRun beside;
  judging[2] = "5";
  const auto isTime = [&] {
    if (stateIn(findings).first == 0) {
      return false;
    }
    beside = runBinary(judging);
    return true;
  };
  std::vector<std::string> campaign = campaignIn(findings);
  campaign[2] = "1000000";
  runBinaryUntil(campaign, {isTime, SIGKILL});
  EXPECT_EQ(beside.status, 0) << beside.errors;
  EXPECT_EQ(summaryOf(beside).at("cases"), 5) << beside.output;
  EXPECT_GT(stateIn(findings).first, 0U) << "the state is the other's";
  EXPECT_EQ(runBinary({"fuzz", "--resume", findings, "--cases", "1000000", "--judge-only"}).status, 2)
      << "a state that is kept is the campaign's own";

  const std::filesystem::path kept = folder.path() / "kept";
  judging.insert(judging.end(), {"--resume", kept});
  EXPECT_EQ(runBinary(judging).status, 0);
  EXPECT_EQ(stateIn(kept).first, 5U) << "where a folder is named for it";
}

TEST(ResumeTest, OtherOptionsAreToldByName) {
  const TemporaryFolder folder("resume_options");
  const std::string findings = folder.path() / "findings", state = folder.path() / "state";
  const BinaryRun begun = runBinary(
      {"fuzz", "--cases", "3", "--seed", "5", "--backends", "eager", "--findings", findings, "--resume", state});
  ASSERT_EQ(begun.status, 0) << begun.errors;
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(state) / "campaign.json")) << "kept where it was asked for";
  const BinaryRun other =
      runBinary({"fuzz", "--resume", state, "--seed", "6", "--cases", "3", "--backends", "aot_eager", "--jobs", "2"});
  EXPECT_EQ(other.status, 2);
  for (const char* part : {"--seed (6 instead of 5)", "--backends"}) {
    EXPECT_NE(other.errors.find(part), std::string::npos) << other.errors;
  }
  for (const char* part : {"--cases", "--jobs"}) {
    EXPECT_EQ(other.errors.find(part), std::string::npos) << other.errors;
  }
  EXPECT_EQ(runBinary({"fuzz", "--resume", state, "--seed", "5", "--jobs", "2"}).status, 0);
}

TEST(ResumeTest, TheProfileGoesOnAndAnotherIsRefused) {
  const TemporaryFolder folder("resume_profile");
  const std::filesystem::path findings = folder.path() / "findings";
  const auto commandOf = [](const BinaryRun& run) {
    return nlohmann::json::parse(run.output).at("findings").at(0).at("command").get<std::string>();
  };
  std::vector<std::string> campaign = campaignIn(findings);
  campaign.insert(campaign.end(), {"--dtypes", "float32"});
  const BinaryRun ended = runBinaryUntil(campaign, {[&] { return stateIn(findings).second > 0; }, SIGINT});
  ASSERT_EQ(ended.status, 130) << ended.errors;
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--dtypes", "float64"}, {"--max-rank", "2"}}) {
    std::vector<std::string> resumed = {"fuzz", "--resume", findings};
    resumed.insert(resumed.end(), other.begin(), other.end());
    const BinaryRun refused = runBinary(resumed);
    EXPECT_EQ(refused.status, 2) << refused.errors;
    EXPECT_NE(refused.errors.find("--profile"), std::string::npos) << refused.errors;
  }
  const BinaryRun resumed = runBinary({"fuzz", "--resume", findings, "--json"});
  EXPECT_EQ(commandOf(resumed), commandOf(ended));
  EXPECT_NE(commandOf(resumed).find(" --profile "), std::string::npos);
  EXPECT_GT(nlohmann::json::parse(resumed.output).at("exclusions").at("dtypes: any other").get<int64_t>(), 0);
}

TEST(ResumeTest, WithoutACampaignThereOneIsBegunOnlyWhenItIsSaidHowLong) {
  const TemporaryFolder folder("resume_nothing");
  const BinaryRun run = runBinary({"fuzz", "--resume", folder.path() / "typo"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.errors.find("--cases or --seconds"), std::string::npos) << run.errors;
  EXPECT_EQ(runBinary({"fuzz", "--resume", folder.path()}).status, 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "a folder that is no campaign's stays as it is";
  folder.file("campaign.json", "{\"schema\": 1}");
  const BinaryRun foreign = runBinary({"fuzz", "--resume", folder.path()});
  EXPECT_EQ(foreign.status, 2);
  EXPECT_NE(foreign.errors.find("does not hold a campaign"), std::string::npos) << foreign.errors;
  folder.file("campaign.json", "{\"schema\": 1, \"torch\": \"1.0\", \"catalogue\": 0}");
  const BinaryRun older = runBinary({"fuzz", "--resume", folder.path()});
  EXPECT_EQ(older.status, 2);
  EXPECT_NE(older.errors.find("torch 1.0"), std::string::npos) << older.errors;
}

TEST(ResumeTest, ARecordIsReadAsItWasWritten) {
  const TemporaryFolder folder("record");
  campaign::CampaignRecord record;
  record.options.seconds = 0.5;
  record.options.seed = 12;
  record.options.shard = 2;
  record.options.shards = 3;
  record.options.limits.memoryMebibytes = 77;
  record.options.corpus = {"corpus"};
  record.position = 41;
  record.tally.cases = 41;
  record.tally.operationsOfCases = {{3, 1}, {9, 40}};
  record.tally.backends["eager"].outcomes[2] = 5;
  record.tally.backends["eager"].details["Limit(A13)"] = 2;
  report::Finding finding;
  finding.id = "eager-values-1";
  finding.symptom = {"eager", "Differs/values", "eager", "Agreed"};
  finding.result.outcome = language::Outcome::kDiffers;
  finding.result.message = "1 instead of 2";
  finding.stage = report::Rung{"eager", "captures"};
  finding.hits = 4;
  record.memory.findings = {finding};
  record.memory.newClusters = {"eager-values-1"};
  record.memory.suppressedHits = {{"eager-values-1", 3}};
  record.features = {8, 16};
  record.kept = {{store::makeSeedCase("seed 12 case 1", std::string("text")), 6}};
  const std::filesystem::path file = campaign::recordFile(folder.path(), record.options);
  EXPECT_EQ(file.filename(), "campaign-2-of-3.json");
  campaign::writeRecord(file, record);
  const campaign::CampaignRecord read = campaign::readRecord(file);
  campaign::writeRecord(folder.path() / "again.json", read);
  std::ostringstream first, second;
  first << std::ifstream(file).rdbuf();
  second << std::ifstream(folder.path() / "again.json").rdbuf();
  EXPECT_EQ(first.str(), second.str());
  EXPECT_EQ(read.options.seconds, record.options.seconds);
  EXPECT_EQ(read.options.shards, 3U);
  EXPECT_EQ(read.tally.operationsOfCases, record.tally.operationsOfCases);
  EXPECT_EQ(read.memory.findings.at(0).result.message, "1 instead of 2");
  EXPECT_EQ(read.memory.findings.at(0).stage->adds, "captures");
  EXPECT_EQ(read.memory.findings.at(0).hits, 4);
  EXPECT_EQ(read.kept.at(0).theCase->text, "text");
  EXPECT_EQ(read.kept.at(0).chosen, 6);
}

} // namespace touchstone::tests
