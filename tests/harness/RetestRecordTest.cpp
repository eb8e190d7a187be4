#include "harness/baseline/RetestRecord.h"

#include "harness/store/StoreSchema.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/StoreRows.h"

#include <gtest/gtest.h>

#include <string>

namespace touchstone::harness {

namespace {

class RetestRecordTest : public ::testing::Test {
 protected:
  /// A folder with a store that has the finding `f`.
  std::filesystem::path folderWithStore(const std::string& name) const {
    std::filesystem::create_directories(folder_.path() / name);
    FindingDatabase store(folder_.path() / name / kStoreName);
    store.beginCampaign(campaignRow("1"));
    store.addFinding(findingRow("f"), sightingRow("f", "1", 1, 1));
    return folder_.path() / name;
  }
  static RetestResult resultIn(const std::filesystem::path& folder, RetestStatus status = RetestStatus::kFixed) {
    RetestResult result;
    result.cluster = "f";
    result.file = folder / "f.py";
    result.backend = "eager";
    result.status = status;
    result.found = "Agreed";
    return result;
  }
  static FindingStatus statusIn(const std::filesystem::path& folder) {
    return FindingDatabase::reading(folder / kStoreName).finding("f")->status;
  }

  TemporaryFolder folder_{"retest_record"};
};

size_t countIn(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

} // namespace

TEST_F(RetestRecordTest, EachFolderHasItsStore) {
  const std::filesystem::path one = folderWithStore("one"), two = folderWithStore("two");
  RetestRecorder recorder;
  recorder.record(resultIn(one));
  recorder.record(resultIn(two, RetestStatus::kFlaky));
  recorder.record(resultIn(folder_.path())); // which has none
  EXPECT_EQ(statusIn(one), FindingStatus::kFixed);
  EXPECT_EQ(statusIn(two), FindingStatus::kFlaky);
  recorder.record(resultIn(one, RetestStatus::kStillThere));
  EXPECT_EQ(statusIn(one), FindingStatus::kOpen);
  EXPECT_EQ(recorder.statusAfter(ExitStatus::kFindings), ExitStatus::kFindings);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / kStoreName)) << "none is made";
}

TEST_F(RetestRecordTest, WhatSaysNothingOfTheFindingIsNotRecorded) {
  const std::filesystem::path folder = folderWithStore("one");
  RetestRecorder recorder;
  RetestResult other = resultIn(folder);
  other.backend = "aot_eager";
  recorder.record(other);
  recorder.record(resultIn(folder, RetestStatus::kNotJudged));
  EXPECT_EQ(statusIn(folder), FindingStatus::kNew);
  EXPECT_TRUE(FindingDatabase::reading(folder / kStoreName).retests("f").empty());
}

TEST_F(RetestRecordTest, AStoreThatCannotBeWrittenIsToldOfOnceAndTheOthersAre) {
  const std::filesystem::path bad = folderWithStore("bad"), good = folderWithStore("good");
  Database(bad / kStoreName, Database::Access::kWrite).execute("DROP TABLE retests");
  RetestRecorder recorder;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    recorder.record(resultIn(bad));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(countIn(said, "is not recorded"), 1U) << said;
  EXPECT_NE(said.find((bad / kStoreName).string()), std::string::npos) << said;
  recorder.record(resultIn(good));
  EXPECT_EQ(statusIn(good), FindingStatus::kFixed);
  EXPECT_EQ(recorder.statusAfter(ExitStatus::kNothingNew), ExitStatus::kFailed);
  EXPECT_EQ(recorder.statusAfter(ExitStatus::kInterrupted), ExitStatus::kInterrupted);
}

TEST_F(RetestRecordTest, AStoreThatIsRefusedDoesNotEndTheRetest) {
  folder_.file(kStoreName, "no database\n");
  RetestRecorder recorder;
  testing::internal::CaptureStderr();
  recorder.record(resultIn(folder_.path()));
  recorder.record(resultIn(folder_.path()));
  EXPECT_EQ(countIn(testing::internal::GetCapturedStderr(), "is not recorded"), 1U);
  EXPECT_EQ(recorder.statusAfter(ExitStatus::kNothingNew), ExitStatus::kWrongUse);
}

} // namespace touchstone::harness
