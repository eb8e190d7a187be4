#include "harness/store/StoreSchema.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/StoreRows.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <set>

namespace touchstone::tests {

namespace {

using nlohmann::json;

class StoreCommandsTest : public testing::Test {
 protected:
  StoreCommandsTest() : folder_("store_commands") {}

  std::filesystem::path place(const std::string& name = "findings") const { return folder_.path() / name; }

  /// A campaign of a backend that is wrong on purpose; the summary.
  json campaign(const std::filesystem::path& findings, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"fuzz",       "--part",     "no-all",
                                          "--cases",    "40",         "--seed",
                                          "5",          "--backends", "relu_accuracy_error_TESTING_ONLY",
                                          "--findings", findings,     "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const BinaryRun run = runBinary(arguments);
    const json summary = json::parse(run.output, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(summary.is_object()) << run.status << run.output << run.errors;
    return summary;
  }

  static json shown(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "findings");
    arguments.emplace_back("--json");
    const BinaryRun run = runBinary(arguments);
    EXPECT_EQ(run.status, 0) << run.errors;
    return json::parse(run.output, nullptr, /*allow_exceptions=*/false);
  }

  static std::map<std::string, std::string> statusesIn(const std::filesystem::path& place) {
    std::map<std::string, std::string> statuses;
    const json findings = shown({place}).at("findings");
    for (const json& each : findings) {
      statuses[each.at("id")] = each.at("status");
    }
    return statuses;
  }

  const TemporaryFolder folder_;
};

/// No file of this process or its children may be longer.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN); // writing fails instead, as on a full disk
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

} // namespace

TEST_F(StoreCommandsTest, TheStoreHoldsWhatTheCampaignSays) {
  const json summary = campaign(place());
  ASSERT_GE(summary.at("findings").size(), 2U);
  const json stored = shown({place()});
  ASSERT_EQ(stored.at("findings").size(), summary.at("findings").size());
  for (const json& each : summary.at("findings")) {
    const json one = shown({place(), each.at("id")});
    for (const char* key : {"hits", "operations", "backend", "symptom", "origin", "base", "oracle", "message"}) {
      EXPECT_EQ(one.at(key), each.at(key)) << key;
    }
    EXPECT_EQ(one.at("status"), "new");
    EXPECT_TRUE(std::filesystem::equivalent(one.at("file").get<std::string>(), each.at("file").get<std::string>()));
    std::ostringstream text;
    text << std::ifstream(one.at("file").get<std::string>()).rdbuf();
    EXPECT_EQ(one.at("case"), text.str());
    EXPECT_EQ(one.at("sightings").at(0).at("how"), "new");
    EXPECT_EQ(one.at("sightings").at(0).at("found_by"), each.at("found_by"));
  }
  const json campaigns = shown({place(), "--campaigns"}).at("campaigns");
  ASSERT_EQ(campaigns.size(), 1U);
  EXPECT_EQ(campaigns[0].at("state"), "finished");
  EXPECT_EQ(campaigns[0].at("backends"), summary.at("backends"));
  EXPECT_EQ(campaigns[0].at("calls_judged"), summary.at("calls_judged"));
  EXPECT_EQ(campaigns[0].at("seed"), "5");
}

TEST_F(StoreCommandsTest, OneFindingIsShownWithoutTheFixedPartsOfItsFile) {
  const json summary = campaign(place());
  ASSERT_FALSE(summary.at("findings").empty());
  const std::string id = summary.at("findings").at(0).at("id"), file = summary.at("findings").at(0).at("file");
  const std::string shownText = runBinary({"findings", place(), id}).output;
  EXPECT_NE(shownText.find("def program("), std::string::npos) << shownText;
  EXPECT_NE(shownText.find("CALLS = ["), std::string::npos) << shownText;
  EXPECT_EQ(shownText.find("__main__"), std::string::npos) << shownText;
  EXPECT_EQ(shownText.find("def data("), std::string::npos) << shownText;
  std::filesystem::remove(file);
  const std::string whole = runBinary({"findings", place(), id}).output;
  EXPECT_NE(whole.find("__main__"), std::string::npos) << "where there is no file it can be made of this: " << whole;

  store::FindingDatabase store(place() / store::kStoreName);
  store::StoredFinding unreadable = findingRow("unreadable", "# touchstone: 99\nno Case\n");
  unreadable.file = folder_.file("unreadable.py", unreadable.caseText);
  store.beginCampaign(campaignRow("another"));
  store.addFinding(unreadable, sightingRow("unreadable", "another", 1, 1));
  const BinaryRun run = runBinary({"findings", place(), "unreadable"});
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_TRUE(run.output.ends_with("\n\n# touchstone: 99\nno Case\n")) << run.output;
}

TEST_F(StoreCommandsTest, ALaterCampaignOpensAndWhatWasFixedIsReportedAgain) {
  const json first = campaign(place());
  ASSERT_GE(first.at("findings").size(), 2U);
  const std::string fixed = first.at("findings").at(0).at("id"), other = first.at("findings").at(1).at("id");
  store::FindingDatabase(place() / store::kStoreName)
      .recordRetest(fixed, "Agreed", store::FindingStatus::kFixed, store::timeNow(), "2.14.0");
  EXPECT_EQ(statusesIn(place()).at(fixed), "fixed");
  const json second = campaign(place()); // the same Cases again
  ASSERT_EQ(second.at("findings").size(), 1U) << second.at("findings");
  EXPECT_EQ(second.at("findings").at(0).at("id"), fixed);
  const std::string regression = second.at("findings").at(0).at("regression");
  EXPECT_NE(regression.find("was fixed in torch 2.14.0"), std::string::npos) << regression;
  EXPECT_EQ(statusesIn(place()).at(fixed), "open");
  EXPECT_EQ(first.at("findings").at(0).at("regression"), "");
  EXPECT_TRUE(campaign(place()).at("findings").empty()) << "it is open, and known to the folder";
  EXPECT_EQ(shown({place()}).at("findings").size(), first.at("findings").size());
  EXPECT_EQ(statusesIn(place()).count(other), 1U);
}

TEST_F(StoreCommandsTest, CampaignsOfTwoFoldersShareAStoreAndNotTheirCourse) {
  const std::filesystem::path store = place("both.sqlite");
  const json left = campaign(place("left"), {"--store", store}), right = campaign(place("right"), {"--store", store});
  EXPECT_EQ(left.at("backends"), right.at("backends")) << "the second one does not know what the first one found";
  EXPECT_FALSE(std::filesystem::exists(place("left") / store::kStoreName));
  const json stored = shown({store}).at("findings");
  ASSERT_EQ(stored.size(), left.at("findings").size());
  for (const json& each : stored) {
    EXPECT_EQ(each.at("status"), "open") << "a second campaign saw it";
    EXPECT_EQ(each.at("hits").get<int>() % 2, 0);
  }
  EXPECT_EQ(shown({store, "--status", "new,fixed"}).at("findings").size(), 0U);
  EXPECT_EQ(shown({store, "--campaigns"}).at("campaigns").size(), 2U);
}

TEST_F(StoreCommandsTest, AFolderFromBeforeThereWereStoresIsReadIn) {
  const json first = campaign(place());
  const std::map<std::string, std::string> before = statusesIn(place());
  std::filesystem::remove(place() / store::kStoreName);
  EXPECT_EQ(statusesIn(place()), before) << "without a store the case files are shown";
  EXPECT_FALSE(std::filesystem::exists(place() / store::kStoreName)) << "showing writes nothing";
  EXPECT_TRUE(campaign(place()).at("findings").empty()) << "they are known";
  for (const auto& [id, status] : statusesIn(place())) {
    EXPECT_EQ(before.count(id), 1U);
    EXPECT_TRUE(status == "open" || status == "new") << status;
  }
  EXPECT_EQ(statusesIn(place()).size(), first.at("findings").size());
}

TEST_F(StoreCommandsTest, AStoreThatIsRefusedEndsTheCommandBeforeAnythingIsDone) {
  const std::string file = folder_.file("foreign.sqlite", "no database\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"fuzz", "--cases", "3", "--backends", "eager", "--findings", place(), "--store", file},
        {"findings", file},
        {"merge", file, place()},
        {"merge", place("new"), file}}) {
    std::filesystem::create_directories(place());
    const BinaryRun run = runBinary(command);
    EXPECT_EQ(run.status, 2) << command[0] << run.output << run.errors;
    EXPECT_NE(run.errors.find("foreign.sqlite"), std::string::npos) << run.errors;
    EXPECT_FALSE(std::filesystem::exists(place("new"))) << "sources are looked at first";
  }
  EXPECT_EQ(std::filesystem::file_size(file), 12U);
}

TEST_F(StoreCommandsTest, AFullDiskEndsTheCampaignWithItsSummary) {
  BinaryRun run;
  {
    const FileSizeLimit limit(150'000);
    run = runBinary({"fuzz", "--part", "no-all", "--cases", "4000", "--seed", "5", "--backends",
                     "relu_accuracy_error_TESTING_ONLY", "--findings", place()});
  }
  EXPECT_EQ(run.status, 5) << run.output << run.errors;
  EXPECT_NE(run.errors.find("The campaign ended early: "), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("fuzz --resume "), std::string::npos) << run.errors;
  EXPECT_NE(run.output.find(" Cases in "), std::string::npos) << "the summary: " << run.output;
  EXPECT_NE(run.output.find("FINDING "), std::string::npos) << run.output;
  EXPECT_EQ(runBinary({"findings", place()}).status, 0) << "what was stored is there";
}

TEST_F(StoreCommandsTest, WhatIsNotThereIsToldByName) {
  const BinaryRun nothing = runBinary({"findings", place("typo")});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_NE(nothing.errors.find("typo"), std::string::npos) << nothing.errors;
  std::filesystem::create_directories(place());
  const BinaryRun empty = runBinary({"findings", place()});
  EXPECT_EQ(empty.status, 2);
  EXPECT_NE(empty.errors.find("findings` has neither a store nor findings"), std::string::npos) << empty.errors;
  store::FindingDatabase(place() / store::kStoreName).findings(); // makes one
  const BinaryRun nothingYet = runBinary({"findings", place()});
  EXPECT_EQ(nothingYet.status, 0) << nothingYet.errors;
  EXPECT_TRUE(nothingYet.output.starts_with("No findings in ")) << nothingYet.output;
  const BinaryRun none = runBinary({"findings", place(), "eager-values"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.errors.find("eager-values"), std::string::npos) << none.errors;
  const BinaryRun status = runBinary({"findings", place(), "--status", "old"});
  EXPECT_EQ(status.status, 2);
  EXPECT_NE(status.errors.find("new, open, known"), std::string::npos) << status.errors;
}

} // namespace touchstone::tests
