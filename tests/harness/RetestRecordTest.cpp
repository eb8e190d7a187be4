#include "harness/baseline/RetestRecord.h"

#include "harness/store/StoreSchema.h"
#include "tests/harness/BinaryRun.h"
#include "tests/harness/StoreRows.h"

#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {

namespace {

class RetestRecordTest : public ::testing::Test {
 protected:
  /// A folder with a store that has the finding `f`.
  std::filesystem::path folderWithStore(const std::string& name) const {
    std::filesystem::create_directories(folder_.path() / name);
    store::FindingDatabase store(folder_.path() / name / store::kStoreName);
    store.beginCampaign(campaignRow("1"));
    store.addFinding(findingRow("f"), sightingRow("f", "1", 1, 1));
    return folder_.path() / name;
  }
  static baseline::RetestResult resultIn(const std::filesystem::path& folder,
                                         baseline::RetestStatus status = baseline::RetestStatus::kFixed) {
    baseline::RetestResult result;
    result.cluster = "f";
    result.file = folder / "f.py";
    result.backend = "eager";
    result.status = status;
    result.found = "Agreed";
    return result;
  }
  static store::FindingStatus statusIn(const std::filesystem::path& folder) {
    return store::FindingDatabase::reading(folder / store::kStoreName).finding("f")->status;
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
  baseline::RetestRecorder recorder;
  recorder.record(resultIn(one));
  recorder.record(resultIn(two, baseline::RetestStatus::kFlaky));
  recorder.record(resultIn(folder_.path())); // which has none
  EXPECT_EQ(statusIn(one), store::FindingStatus::kFixed);
  EXPECT_EQ(statusIn(two), store::FindingStatus::kFlaky);
  recorder.record(resultIn(one, baseline::RetestStatus::kStillThere));
  EXPECT_EQ(statusIn(one), store::FindingStatus::kOpen);
  EXPECT_EQ(recorder.statusAfter(base::ExitStatus::kFindings), base::ExitStatus::kFindings);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / store::kStoreName)) << "none is made";
}

TEST_F(RetestRecordTest, WhatSaysNothingOfTheFindingIsNotRecorded) {
  const std::filesystem::path folder = folderWithStore("one");
  baseline::RetestRecorder recorder;
  baseline::RetestResult other = resultIn(folder);
  other.backend = "aot_eager";
  recorder.record(other);
  recorder.record(resultIn(folder, baseline::RetestStatus::kNotJudged));
  EXPECT_EQ(statusIn(folder), store::FindingStatus::kNew);
  EXPECT_TRUE(store::FindingDatabase::reading(folder / store::kStoreName).retests("f").empty());
}

TEST_F(RetestRecordTest, AStoreThatCannotBeWrittenIsToldOfOnceAndTheOthersAre) {
  const std::filesystem::path bad = folderWithStore("bad"), good = folderWithStore("good");
  store::Database(bad / store::kStoreName, store::Database::Access::kWrite).execute("DROP TABLE retests");
  baseline::RetestRecorder recorder;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    recorder.record(resultIn(bad));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(countIn(said, "is not recorded"), 1U) << said;
  EXPECT_NE(said.find((bad / store::kStoreName).string()), std::string::npos) << said;
  recorder.record(resultIn(good));
  EXPECT_EQ(statusIn(good), store::FindingStatus::kFixed);
  EXPECT_EQ(recorder.statusAfter(base::ExitStatus::kNothingNew), base::ExitStatus::kFailed);
  EXPECT_EQ(recorder.statusAfter(base::ExitStatus::kInterrupted), base::ExitStatus::kInterrupted);
}

TEST_F(RetestRecordTest, AStoreThatIsRefusedDoesNotEndTheRetest) {
  folder_.file(store::kStoreName, "no database\n");
  baseline::RetestRecorder recorder;
  testing::internal::CaptureStderr();
  recorder.record(resultIn(folder_.path()));
  recorder.record(resultIn(folder_.path()));
  EXPECT_EQ(countIn(testing::internal::GetCapturedStderr(), "is not recorded"), 1U);
  EXPECT_EQ(recorder.statusAfter(base::ExitStatus::kNothingNew), base::ExitStatus::kWrongUse);
}

} // namespace touchstone::tests
