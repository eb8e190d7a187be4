#include "base/ExitStatus.h"
#include "harness/store/StoreSchema.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/StoreRows.h"

#include <gtest/gtest.h>

namespace touchstone::tests {

namespace {

class FindingDatabaseTest : public testing::Test {
 protected:
  FindingDatabaseTest() : folder_("finding_database"), file_(folder_.path() / store::kStoreName) {}

  store::SightingKind see(store::FindingDatabase& database, const std::string& campaign, int index, int second) {
    return database.addFinding(findingRow("f"), sightingRow("f", campaign, index, second));
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_;
};

} // namespace

TEST_F(FindingDatabaseTest, AFindingIsNewThenOpenThenFixedThenARegression) {
  store::FindingDatabase database(file_);
  database.beginCampaign(campaignRow("a"));
  database.beginCampaign(campaignRow("b"));
  EXPECT_EQ(see(database, "a", 1, 1), store::SightingKind::kNew);
  EXPECT_EQ(see(database, "a", 2, 2), store::SightingKind::kAgain);
  EXPECT_EQ(database.finding("f")->status, store::FindingStatus::kNew) << "the same campaign";
  EXPECT_EQ(see(database, "b", 2, 3), store::SightingKind::kAgain);
  EXPECT_EQ(database.finding("f")->status, store::FindingStatus::kOpen);
  database.recordRetest("f", "Agreed", store::FindingStatus::kFixed, secondOf(4), "2.14.0");
  EXPECT_EQ(database.finding("f")->status, store::FindingStatus::kFixed);
  EXPECT_EQ(see(database, "b", 5, 5), store::SightingKind::kRegression);
  EXPECT_EQ(see(database, "b", 5, 6), store::SightingKind::kRegression) << "told again by a campaign that goes on";
  const store::StoredFinding finding = *database.finding("f");
  EXPECT_EQ(finding.status, store::FindingStatus::kOpen);
  EXPECT_EQ(finding.hits, 4);
  EXPECT_EQ(finding.firstSeen, secondOf(1));
  EXPECT_EQ(finding.lastSeen, secondOf(5));
  const std::vector<store::StoredRetest> retests = database.retests("f");
  ASSERT_EQ(retests.size(), 1U);
  EXPECT_EQ(retests[0].before, store::FindingStatus::kOpen);
  EXPECT_EQ(retests[0].torch, "2.14.0");
  EXPECT_THROW(database.recordRetest("g", "Agreed", store::FindingStatus::kFixed), base::WrongUse);
}

TEST_F(FindingDatabaseTest, SuppressedCasesAreNoHitsAndASightingCountsOnce) {
  store::FindingDatabase database(file_);
  store::StoredCampaign campaign = campaignRow("a");
  database.beginCampaign(campaign);
  see(database, "a", 1, 1);
  const std::vector<store::StoredSighting> sightings = {sightingRow("f", "a", 2, 2, store::SightingKind::kSuppressed),
                                                        sightingRow("f", "a", 3, 3), sightingRow("no such", "a", 3, 3)};
  for (int i = 0; i < 2; ++i) {
    campaign.cases = 10 + i;
    campaign.counts = {{"eager", {{i == 0 ? "Agreed" : "Vacuous", 4}}}};
    database.writeCounts(campaign, sightings);
  }
  EXPECT_EQ(database.finding("f")->hits, 2);
  EXPECT_EQ(database.finding("f")->lastSeen, secondOf(3));
  EXPECT_EQ(database.sightings("f").size(), 3U);
  const store::StoredCampaign stored = database.campaigns().at(0);
  EXPECT_EQ(stored.cases, 11);
  EXPECT_EQ(stored.counts, campaign.counts) << "counts are those of the last time";
  campaign.state = store::CampaignState::kFinished;
  database.writeCounts(campaign, {});
  EXPECT_EQ(database.campaigns().at(0).state, store::CampaignState::kFinished);
}

TEST_F(FindingDatabaseTest, ACampaignWhoseProcessIsGoneWasKilled) {
  store::FindingDatabase database(file_);
  store::StoredCampaign first = campaignRow("a"), second = campaignRow("b"), third = campaignRow("c");
  second.stateFile = first.stateFile;
  const auto stateOf = [&](size_t i) { return database.campaigns().at(i).state; };
  database.beginCampaign(first);
  database.beginCampaign(second); // it holds the state file now
  database.beginCampaign(third);
  EXPECT_EQ(stateOf(0), store::CampaignState::kKilled);
  EXPECT_EQ(stateOf(1), store::CampaignState::kRunning);
  database.markKilled([&](const std::string& file) { return file == third.stateFile; });
  EXPECT_EQ(stateOf(1), store::CampaignState::kRunning);
  EXPECT_EQ(stateOf(2), store::CampaignState::kKilled);
  database.beginCampaign(third); // it goes on
  EXPECT_EQ(stateOf(2), store::CampaignState::kRunning);
}

TEST_F(FindingDatabaseTest, WhatACampaignKnewIsWhatOthersSawBeforeItBegan) {
  store::FindingDatabase database(file_);
  database.beginCampaign(campaignRow("old", "7", 0));
  database.beginCampaign(campaignRow("own", "8", 10));
  store::StoredCampaign shard = campaignRow("shard", "8", 9); // of the same seed, and it has not ended
  database.beginCampaign(shard);
  const auto add = [&](const std::string& id, const std::string& campaign, int second) {
    database.addFinding(findingRow(id), sightingRow(id, campaign, second, second));
  };
  add("before", "old", 5);
  add("behind", "old", 15);
  add("mine", "own", 12);
  add("of another shard", "shard", 9);
  add("fixed", "old", 5);
  database.recordRetest("fixed", "Agreed", store::FindingStatus::kFixed, secondOf(8));
  EXPECT_EQ(database.knownToCampaign("own"), std::set<std::string>({"before"}));
  add("fixed", "own", 20);
  EXPECT_EQ(database.finding("fixed")->status, store::FindingStatus::kOpen);
  EXPECT_EQ(database.knownToCampaign("own"), std::set<std::string>({"before"})) << "it is to be told again";
  shard.ended = secondOf(9);
  shard.state = store::CampaignState::kFinished;
  database.writeCounts(shard, {});
  EXPECT_EQ(database.knownToCampaign("own"), std::set<std::string>({"before", "of another shard"}));
}

TEST_F(FindingDatabaseTest, TheListOfKnownBugsSetsAndTakesBackAStatus) {
  store::FindingDatabase database(file_);
  database.beginCampaign(campaignRow("a"));
  see(database, "a", 1, 1);
  database.markKnown([](const store::StoredFinding& each) { return each.id == "f"; });
  EXPECT_EQ(database.finding("f")->status, store::FindingStatus::kKnown);
  see(database, "a", 2, 2);
  EXPECT_EQ(database.finding("f")->status, store::FindingStatus::kKnown) << "seeing it changes nothing";
  database.markKnown([](const store::StoredFinding&) { return false; });
  EXPECT_EQ(database.finding("f")->status, store::FindingStatus::kOpen);
}

TEST_F(FindingDatabaseTest, SeveralProcessesMakeAndWriteOneStoreAtOnce) {
  constexpr int kProcesses = 4, kSightings = 60;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      try {
        store::FindingDatabase database(file_);
        const std::string id(1, static_cast<char>('a' + i));
        database.beginCampaign(campaignRow(id));
        for (int k = 0; k < kSightings; ++k) {
          see(database, id, k, k);
        }
        _exit(0);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
    }
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const store::FindingDatabase database = store::FindingDatabase::reading(file_);
  EXPECT_EQ(database.findings().size(), 1U);
  EXPECT_EQ(database.finding("f")->hits, kProcesses * kSightings);
}

TEST_F(FindingDatabaseTest, FilesAreMeantFromWhereTheStoreLies) {
  const std::filesystem::path moved = folder_.path() / "moved";
  {
    store::FindingDatabase database(folder_.path() / "here" / store::kStoreName);
    database.beginCampaign(campaignRow("a"));
    store::StoredFinding finding = findingRow("f");
    finding.file = folder_.path() / "here" / "f.py";
    database.addFinding(finding, sightingRow("f", "a", 1, 1));
    EXPECT_EQ(database.finding("f")->file, finding.file);
  }
  std::filesystem::rename(folder_.path() / "here", moved);
  EXPECT_EQ(store::FindingDatabase::reading(moved / store::kStoreName).finding("f")->file, (moved / "f.py").string());
}

} // namespace touchstone::tests
