#include "base/ExitStatus.h"
#include "harness/store/StoreSchema.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/StoreRows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace touchstone::tests {

namespace {

class StoreSchemaTest : public testing::Test {
 protected:
  StoreSchemaTest() : folder_("store_schema"), file_(folder_.path() / store::kStoreName) {}

  /// A store as the first version made it.
  void makeFirstVersion() const {
    store::Database database(file_, store::Database::Access::kCreate);
    database.execute(store::storeMigration(1));
    database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = 1", store::storeApplication()));
    database.execute(
        "INSERT INTO campaigns (id, seed, options, torch, catalogue, cpu, begun, state, cases) VALUES ('c', '7', '{}', "
        "'2.12.0', 3, 'cpu', '2026-01-01T00:00:00.000Z', 'finished', 40);"
        "INSERT INTO findings VALUES ('f', 'eager', 's', 'eager', 'Agreed', '', '', 'Differs/values', 2, 'm', 'text', "
        "'f.py', 'open', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z', '2.12.0', '2.12.0', 2);"
        "INSERT INTO sightings VALUES ('f', 'c', '3', 'eager', 'seed 7 case 3', '2026-01-01T00:00:01.000Z', 'new'),"
        "('f', 'c', '5', 'eager', 'seed 7 case 5', '2026-01-01T00:00:02.000Z', 'again'),"
        "('f', 'c', '6', 'eager', 'seed 7 case 6', '2026-01-01T00:00:03.000Z', 'masked');"
        "PRAGMA journal_mode = WAL");
  }

  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      found.insert(entry.path().filename());
    }
    return found;
  }

  /// Opening it for writing and for reading throws this, and changes nothing.
  void expectRefused(const std::string& part) const {
    const std::string before = bytes();
    const std::set<std::string> files = names();
    for (const auto& open : {store::openStore, store::readStore}) {
      try {
        open(file_);
        FAIL() << "it was not refused: " << part;
      } catch (const base::WrongUse& error) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("Nothing in it was changed"), std::string::npos) << error.what();
      }
      EXPECT_EQ(bytes() == before, true) << part;
      EXPECT_EQ(names(), files);
    }
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_;
};

} // namespace

TEST_F(StoreSchemaTest, AFreshStoreIsOfThisVersion) {
  store::Database database = store::openStore(file_);
  EXPECT_EQ(store::storeVersion(database), store::kStoreVersion);
  EXPECT_EQ(database.integer("PRAGMA application_id"), store::storeApplication());
  EXPECT_EQ(database.text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(database.integer("PRAGMA foreign_keys"), 1);
}

TEST_F(StoreSchemaTest, AnOlderStoreIsBroughtUpAndKeepsWhatItHas) {
  makeFirstVersion();
  const std::string before = bytes();
  {
    const store::FindingDatabase read = store::FindingDatabase::reading(file_);
    EXPECT_EQ(read.finding("f")->statusSince, "2026-01-01T00:00:01.000Z");
    EXPECT_EQ(read.finding("f")->file, (folder_.path() / "f.py").string());
  }
  EXPECT_EQ(bytes() == before, true) << "reading brings up a copy";
  EXPECT_EQ(names().size(), 1U);
  for (const store::FindingStatus status : {store::FindingStatus::kOpen, store::FindingStatus::kFixed}) {
    store::FindingDatabase database(file_);
    const store::StoredFinding finding = *database.finding("f");
    EXPECT_EQ(finding.status, status);
    EXPECT_EQ(finding.hits, 2);
    ASSERT_EQ(database.sightings("f").size(), 3U);
    EXPECT_EQ(
        std::ranges::count(database.sightings("f"), store::SightingKind::kSuppressed, &store::StoredSighting::how), 1)
        << "what was called `masked`";
    EXPECT_EQ(database.campaigns().at(0).cases, 40);
    database.recordRetest("f", "Agreed", store::FindingStatus::kFixed, secondOf(100), "2.14.0");
  }
  store::Database database = store::openStore(file_);
  EXPECT_EQ(store::storeVersion(database), store::kStoreVersion);
}

TEST_F(StoreSchemaTest, ANewerStoreIsRefused) {
  makeFirstVersion();
  { store::Database(file_, store::Database::Access::kWrite).execute("PRAGMA user_version = 77"); }
  expectRefused("of version 77");
}

TEST_F(StoreSchemaTest, AnotherProgramsDatabaseIsRefused) {
  { store::Database(file_, store::Database::Access::kCreate).execute("CREATE TABLE t (x); PRAGMA application_id = 5"); }
  expectRefused("is no store of Touchstone");
}

TEST_F(StoreSchemaTest, WhatIsNoDatabaseIsRefused) {
  folder_.file(store::kStoreName, "");
  expectRefused("is no store of Touchstone");
  folder_.file(store::kStoreName, "# touchstone: 1\n" + std::string(5000, 'x'));
  expectRefused("is damaged");
}

TEST_F(StoreSchemaTest, ADamagedStoreIsRefused) {
  makeFirstVersion();
  std::string damaged = bytes();
  const size_t page = 4096;
  ASSERT_GT(damaged.size(), 3 * page);
  damaged.replace(page, page, std::string(page, '\x5a'));
  folder_.file(store::kStoreName, damaged);
  expectRefused("is damaged");
  folder_.file(store::kStoreName, damaged.substr(0, 2 * page + 100)); // the end is missing
  expectRefused("is damaged");
}

TEST_F(StoreSchemaTest, APathMeansAFileOrAFolder) {
  EXPECT_EQ(store::storeFile(folder_.path()), file_);
  EXPECT_EQ(store::storeFile(folder_.path() / "new"), folder_.path() / "new" / store::kStoreName);
  EXPECT_EQ(store::storeFile(folder_.path() / "all.sqlite"), folder_.path() / "all.sqlite");
  EXPECT_EQ(store::storeFile(folder_.file("plain", "")), folder_.path() / "plain");
}

TEST_F(StoreSchemaTest, ANameMayHoldWhatAUriHasAMeaningFor) {
  const std::filesystem::path file = folder_.path() / "a?b#c%41.sqlite";
  store::openStore(file);
  EXPECT_TRUE(std::filesystem::exists(file));
  store::readStore(file);
}

} // namespace touchstone::tests
