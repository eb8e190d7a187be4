#include "base/ExitStatus.h"
#include "harness/store/StoreSchema.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/StoreRows.h"

#include <gtest/gtest.h>

namespace touchstone::harness {

namespace {

class FindingDatabaseTest : public testing::Test {
 protected:
  FindingDatabaseTest() : folder_("finding_database"), file_(folder_.path() / kStoreName) {}

  SightingKind see(FindingDatabase& database, const std::string& campaign, int index, int second) {
    return database.addFinding(findingRow("f"), sightingRow("f", campaign, index, second));
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_;
};

} // namespace

TEST_F(FindingDatabaseTest, AFindingIsNewThenOpenThenFixedThenARegression) {
  FindingDatabase database(file_);
  database.beginCampaign(campaignRow("a"));
  database.beginCampaign(campaignRow("b"));
  EXPECT_EQ(see(database, "a", 1, 1), SightingKind::kNew);
  EXPECT_EQ(see(database, "a", 2, 2), SightingKind::kAgain);
  EXPECT_EQ(database.finding("f")->status, FindingStatus::kNew) << "the same campaign";
  EXPECT_EQ(see(database, "b", 2, 3), SightingKind::kAgain);
  EXPECT_EQ(database.finding("f")->status, FindingStatus::kOpen);
  database.recordRetest("f", "Agreed", FindingStatus::kFixed, secondOf(4), "2.14.0");
  EXPECT_EQ(database.finding("f")->status, FindingStatus::kFixed);
  EXPECT_EQ(see(database, "b", 5, 5), SightingKind::kRegression);
  EXPECT_EQ(see(database, "b", 5, 6), SightingKind::kRegression) << "told again by a campaign that goes on";
  const StoredFinding finding = *database.finding("f");
  EXPECT_EQ(finding.status, FindingStatus::kOpen);
  EXPECT_EQ(finding.hits, 4);
  EXPECT_EQ(finding.firstSeen, secondOf(1));
  EXPECT_EQ(finding.lastSeen, secondOf(5));
  const std::vector<StoredRetest> retests = database.retests("f");
  ASSERT_EQ(retests.size(), 1U);
  EXPECT_EQ(retests[0].before, FindingStatus::kOpen);
  EXPECT_EQ(retests[0].torch, "2.14.0");
  EXPECT_THROW(database.recordRetest("g", "Agreed", FindingStatus::kFixed), WrongUse);
}

TEST_F(FindingDatabaseTest, MaskedCasesAreNoHitsAndASightingCountsOnce) {
  FindingDatabase database(file_);
  StoredCampaign campaign = campaignRow("a");
  database.beginCampaign(campaign);
  see(database, "a", 1, 1);
  const std::vector<StoredSighting> sightings = {sightingRow("f", "a", 2, 2, SightingKind::kMasked),
                                                 sightingRow("f", "a", 3, 3), sightingRow("no such", "a", 3, 3)};
  for (int i = 0; i < 2; ++i) {
    campaign.cases = 10 + i;
    campaign.counts = {{"eager", {{i == 0 ? "Agreed" : "Vacuous", 4}}}};
    database.writeCounts(campaign, sightings);
  }
  EXPECT_EQ(database.finding("f")->hits, 2);
  EXPECT_EQ(database.finding("f")->lastSeen, secondOf(3));
  EXPECT_EQ(database.sightings("f").size(), 3U);
  const StoredCampaign stored = database.campaigns().at(0);
  EXPECT_EQ(stored.cases, 11);
  EXPECT_EQ(stored.counts, campaign.counts) << "counts are those of the last time";
  campaign.state = CampaignState::kFinished;
  database.endCampaign(campaign, {});
  EXPECT_EQ(database.campaigns().at(0).state, CampaignState::kFinished);
}

TEST_F(FindingDatabaseTest, ACampaignWhoseProcessIsGoneWasKilled) {
  FindingDatabase database(file_);
  StoredCampaign first = campaignRow("a"), second = campaignRow("b"), third = campaignRow("c");
  second.stateFile = first.stateFile;
  const auto stateOf = [&](size_t i) { return database.campaigns().at(i).state; };
  database.beginCampaign(first);
  database.beginCampaign(second); // it holds the state file now
  database.beginCampaign(third);
  EXPECT_EQ(stateOf(0), CampaignState::kKilled);
  EXPECT_EQ(stateOf(1), CampaignState::kRunning);
  database.markKilled([&](const std::string& file) { return file == third.stateFile; });
  EXPECT_EQ(stateOf(1), CampaignState::kRunning);
  EXPECT_EQ(stateOf(2), CampaignState::kKilled);
  database.beginCampaign(third); // it goes on
  EXPECT_EQ(stateOf(2), CampaignState::kRunning);
}

TEST_F(FindingDatabaseTest, WhatACampaignKnewIsWhatOthersSawBeforeItBegan) {
  FindingDatabase database(file_);
  database.beginCampaign(campaignRow("old", "7", 0));
  database.beginCampaign(campaignRow("own", "8", 10));
  StoredCampaign shard = campaignRow("shard", "8", 9); // of the same seed, and it has not ended
  database.beginCampaign(shard);
  const auto add = [&](const std::string& id, const std::string& campaign, int second) {
    database.addFinding(findingRow(id), sightingRow(id, campaign, second, second));
  };
  add("before", "old", 5);
  add("behind", "old", 15);
  add("mine", "own", 12);
  add("of another shard", "shard", 9);
  add("fixed", "old", 5);
  database.setStatus("fixed", FindingStatus::kFixed, secondOf(8));
  EXPECT_EQ(database.knownToCampaign("own"), std::set<std::string>({"before"}));
  add("fixed", "own", 20);
  EXPECT_EQ(database.finding("fixed")->status, FindingStatus::kOpen);
  EXPECT_EQ(database.knownToCampaign("own"), std::set<std::string>({"before"})) << "it is to be told again";
  shard.ended = secondOf(9);
  shard.state = CampaignState::kFinished;
  database.endCampaign(shard, {});
  EXPECT_EQ(database.knownToCampaign("own"), std::set<std::string>({"before", "of another shard"}));
}

TEST_F(FindingDatabaseTest, TheListOfKnownBugsSetsAndTakesBackAStatus) {
  FindingDatabase database(file_);
  database.beginCampaign(campaignRow("a"));
  see(database, "a", 1, 1);
  database.markKnown([](const StoredFinding& each) { return each.id == "f"; });
  EXPECT_EQ(database.finding("f")->status, FindingStatus::kKnown);
  see(database, "a", 2, 2);
  EXPECT_EQ(database.finding("f")->status, FindingStatus::kKnown) << "seeing it changes nothing";
  database.markKnown([](const StoredFinding&) { return false; });
  EXPECT_EQ(database.finding("f")->status, FindingStatus::kOpen);
}

TEST_F(FindingDatabaseTest, SeveralProcessesMakeAndWriteOneStoreAtOnce) {
  constexpr int kProcesses = 4, kSightings = 60;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      try {
        FindingDatabase database(file_);
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
  const FindingDatabase database = FindingDatabase::reading(file_);
  EXPECT_EQ(database.findings().size(), 1U);
  EXPECT_EQ(database.finding("f")->hits, kProcesses * kSightings);
}

TEST_F(FindingDatabaseTest, FilesAreMeantFromWhereTheStoreLies) {
  const std::filesystem::path moved = folder_.path() / "moved";
  {
    FindingDatabase database(folder_.path() / "here" / kStoreName);
    database.beginCampaign(campaignRow("a"));
    StoredFinding finding = findingRow("f");
    finding.file = folder_.path() / "here" / "f.py";
    database.addFinding(finding, sightingRow("f", "a", 1, 1));
    EXPECT_EQ(database.finding("f")->file, finding.file);
  }
  std::filesystem::rename(folder_.path() / "here", moved);
  EXPECT_EQ(FindingDatabase::reading(moved / kStoreName).finding("f")->file, (moved / "f.py").string());
}

} // namespace touchstone::harness
