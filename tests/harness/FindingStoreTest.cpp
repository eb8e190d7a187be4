#include "harness/store/FindingStore.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "harness/reducer/Reducer.h"
#include "harness/store/StoreSchema.h"
#include "program/parser/CaseParser.h"
#include "tests/harness/StoreRows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace touchstone::tests {

namespace {

class FindingStoreTest : public testing::Test {
 protected:
  FindingStoreTest()
      : folder_(std::filesystem::temp_directory_path() / ("touchstone_store_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
  }
  ~FindingStoreTest() override { std::filesystem::remove_all(folder_); }

  static report::Finding makeFinding(const std::string& body = "x.t()") {
    report::Finding finding;
    finding.reduced = parser::parseCase(
        "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    x = torch.ones((2, 3))\n"
        "    return (x,), ()\n\n\ndef program(x):\n    return " +
            body + "\n\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n]\n",
        {"<text>", false});
    finding.result.backend = "torch:aot_eager";
    finding.result.outcome = language::Outcome::kDiffers;
    finding.result.text = "Differs/strides/call 0 output 0";
    finding.result.symptom = "Differs/strides/output 0";
    finding.result.origin = "torch:aot_eager";
    finding.result.baseOutcome = "Agreed";
    finding.result.message = "eager (1, 3)\ncompiled (3, 1)";
    finding.symptom = worker::symptomOf(finding.result);
    finding.foundBy = "seed 7 case 3";
    finding.id = store::clusterId(finding.symptom, analysis::signatureOf(finding.reduced));
    return finding;
  }

  /// A store with a database, in which a campaign has begun.
  store::FindingStore storeOf(const std::string& campaign, const std::string& seed = "7") const {
    store::FindingStore store(folder_, std::make_unique<store::FindingDatabase>(folder_ / store::kStoreName));
    store.beginCampaign(campaignRow(campaign, seed));
    return store;
  }
  store::FindingDatabase database() const { return store::FindingDatabase::reading(folder_ / store::kStoreName); }

  const std::filesystem::path folder_;
};

} // namespace

TEST_F(FindingStoreTest, WhatIsWrittenIsInTheDatabaseWithItsFile) {
  report::Finding finding = makeFinding();
  storeOf("a").write(finding);
  const store::StoredFinding stored = database().finding(finding.id).value();
  EXPECT_EQ(stored.file, finding.file);
  EXPECT_EQ(stored.caseText, base::readFile(finding.file));
  EXPECT_EQ(stored.oracle, "Differs/strides/call 0 output 0");
  EXPECT_EQ(stored.message, finding.result.message);
  EXPECT_EQ(stored.hits, 1);
  EXPECT_EQ(database().sightings(finding.id).at(0).caseIndex, "3");
}

TEST_F(FindingStoreTest, AClusterHasOneFileInAFolderAndAForeignFileIsNotTakenForIt) {
  report::Finding first = makeFinding(), second = makeFinding();
  base::writeFile(folder_ / (first.id + ".py"), "mine\n");
  store::FindingStore left = storeOf("a", "7"), right = storeOf("b", "8"); // both began before either found it
  left.write(first);
  second.foundBy = "seed 8 case 5";
  right.write(second);
  EXPECT_EQ(base::readFile(folder_ / (first.id + ".py")), "mine\n");
  EXPECT_EQ(second.file, first.file);
  EXPECT_EQ(parser::readCase(first.file).header("found-by"), "seed 7 case 3");
  EXPECT_EQ(database().findings().size(), 1U);
  EXPECT_EQ(database().finding(first.id)->hits, 2);
  EXPECT_EQ(database().finding(first.id)->file, first.file);
}

TEST_F(FindingStoreTest, AProcessThatDiedBeforeTheFileWasWrittenWritesItWhenItGoesOn) {
  report::Finding finding = makeFinding();
  storeOf("a").write(finding);
  std::filesystem::remove(finding.file);
  store::FindingStore store = storeOf("a");
  EXPECT_TRUE(store.clusters().empty());
  report::Finding again = makeFinding();
  store.write(again);
  EXPECT_EQ(again.file, finding.file);
  EXPECT_TRUE(std::filesystem::exists(finding.file));
  EXPECT_EQ(database().finding(finding.id)->hits, 1) << "the same Case of the same campaign";
}

TEST_F(FindingStoreTest, TheProfileIsNamedInTheFile) {
  report::Finding finding = makeFinding();
  finding.profile = "profile-0123.json";
  storeOf("a").write(finding);
  EXPECT_EQ(findings::headersOf(parser::readCase(finding.file)).profile, "profile-0123.json");
}

TEST_F(FindingStoreTest, NotesStayBesideTheMessage) {
  report::Finding finding = makeFinding();
  findings::noteUnfinished(finding.reduced);
  storeOf("a").write(finding);
  const language::Case written = parser::readCase(finding.file);
  EXPECT_EQ(written.header("note"), "eager (1, 3) compiled (3, 1)");
  EXPECT_TRUE(findings::headersOf(written).isUnfinished());
}

TEST_F(FindingStoreTest, WhatAnInterruptLeftHalfReducedIsTheFindingThatItsCaseComesDownTo) {
  report::Finding half = makeFinding("x.t().sin()"), other = makeFinding("x.t().cos()"), whole = makeFinding();
  findings::noteUnfinished(half.reduced);
  findings::noteUnfinished(other.reduced);
  other.foundBy = "seed 7 case 4";
  store::FindingStore store = storeOf("a");
  store.write(half);
  store.write(other);
  store.write(whole);
  const std::vector<store::StoredFinding> unfinished = store.unfinishedOf(whole.foundBy, whole.symptom, whole.id);
  ASSERT_EQ(unfinished.size(), 1U) << "of this Case";
  EXPECT_EQ(unfinished[0].id, half.id);
  store.remove(unfinished[0]);
  EXPECT_FALSE(std::filesystem::exists(half.file));
  EXPECT_FALSE(database().finding(half.id).has_value());
  EXPECT_EQ(database().findings().size(), 2U);
  EXPECT_TRUE(storeOf("b", "8").unfinishedOf(other.foundBy, other.symptom, whole.id).empty()) << "another campaign's";
  const std::string changed = base::readFile(other.file) + "# mine\n";
  base::writeFile(other.file, changed);
  store.remove(*database().finding(other.id));
  EXPECT_EQ(base::readFile(other.file), changed) << "what somebody has changed stays";
}

TEST_F(FindingStoreTest, AFolderHasOneFileOfAClusterThoughTheStoreNamesThatOfAnotherFolder) {
  report::Finding left = makeFinding(), half = makeFinding(), whole = makeFinding();
  storeOf("a").write(left);
  findings::noteUnfinished(half.reduced);
  half.foundBy = whole.foundBy = "seed 8 case 5";
  for (report::Finding* each : {&half, &whole}) { // Ctrl-C, and then it goes on
    store::FindingStore right(folder_ / "right", std::make_unique<store::FindingDatabase>(folder_ / store::kStoreName));
    right.resume({}, [](const std::string&) { return true; });
    right.beginCampaign(campaignRow("b", "8"));
    right.write(*each);
  }
  EXPECT_NE(half.file, left.file);
  EXPECT_EQ(whole.file, half.file);
  const std::filesystem::directory_iterator files(folder_ / "right");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  EXPECT_EQ(database().finding(left.id)->hits, 2);
}

TEST_F(FindingStoreTest, ACampaignThatGoesOnFindsAgainWhatItDidNotCount) {
  report::Finding counted = makeFinding(), uncounted = makeFinding("x.t().sin()"), before = makeFinding("x.t().cos()");
  storeOf("before", "6").write(before);
  {
    store::FindingStore store = storeOf("a");
    ASSERT_EQ(store.clusters().size(), 1U);
    store.write(counted);
    store.write(uncounted);
  }
  store::FindingStore store(folder_, std::make_unique<store::FindingDatabase>(folder_ / store::kStoreName));
  store.resume({counted.id}, [](const std::string&) { return false; });
  store.beginCampaign(campaignRow("a"));
  ASSERT_EQ(store.clusters().size(), 2U);
  EXPECT_EQ(store.clusters()[0].id, before.id);
  EXPECT_EQ(store.clusters()[1].id, counted.id);
}

TEST_F(FindingStoreTest, FilesOfOlderTimesAreReadInOnce) {
  report::Finding finding = makeFinding();
  store::FindingStore(folder_).write(finding);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(storeOf("a").clusters().size(), 1U) << "it is known";
    EXPECT_EQ(database().finding(finding.id)->hits, 1);
  }
  EXPECT_EQ(database().campaigns().at(0).state, store::CampaignState::kUnknown);
  EXPECT_EQ(database().campaigns().at(0).seed, "7");
  EXPECT_EQ(database().campaigns().size(), 2U);
}

TEST_F(FindingStoreTest, WhatIsWrittenIsKnownToTheNextStore) {
  report::Finding finding = makeFinding();
  store::FindingStore(folder_).write(finding);
  const store::FindingStore next(folder_);
  ASSERT_EQ(next.clusters().size(), 1u);
  EXPECT_EQ(next.clusters()[0].id, finding.id);
  EXPECT_EQ(next.clusters()[0].symptom, finding.symptom);
  EXPECT_EQ(next.clusters()[0].signature.text(), analysis::signatureOf(finding.reduced).text());
  const language::Case stored = parser::readCase(finding.file);
  EXPECT_EQ(stored.expectations.at(0).text(), "torch:aot_eager Differs/strides/call 0 output 0");
  EXPECT_EQ(stored.header("found-by"), "seed 7 case 3");
  EXPECT_TRUE(stored.header("torch").has_value());
  EXPECT_TRUE(stored.header("cpu").has_value());
}

TEST_F(FindingStoreTest, TheStageIsAHeaderWhereItIsKnown) {
  store::FindingStore store(folder_);
  report::Finding finding = makeFinding();
  store.write(finding);
  EXPECT_FALSE(parser::readCase(finding.file).header("stage").has_value());
  finding.stage = report::Rung{"torch:aot_eager", "AOT\nAutograd"};
  store.write(finding);
  EXPECT_EQ(parser::readCase(finding.file).header("stage"), "torch:aot_eager (AOT Autograd)");
}

TEST_F(FindingStoreTest, NeverOverwritesAFile) {
  report::Finding finding = makeFinding();
  const std::filesystem::path taken = folder_ / (finding.id + ".py");
  base::writeFile(taken, "mine\n");
  store::FindingStore(folder_).write(finding);
  EXPECT_EQ(base::readFile(taken), "mine\n");
  EXPECT_NE(finding.file, taken);
  EXPECT_TRUE(std::filesystem::exists(finding.file));
}

TEST_F(FindingStoreTest, ClustersDifferBySymptomAndOperatorsButNotBySizes) {
  const report::Finding finding = makeFinding();
  EXPECT_EQ(finding.id.rfind("torch-aot_eager-strides-", 0), 0u) << finding.id;
  EXPECT_NE(makeFinding("x.t().sin()").id, finding.id);
  EXPECT_EQ(makeFinding("torch.sum(x, 0)").id, makeFinding("torch.sum(x, 1)").id);
  worker::Symptom other = finding.symptom;
  other.text = "Differs/strides/output 1";
  EXPECT_NE(store::clusterId(other, analysis::signatureOf(finding.reduced)), finding.id);
  EXPECT_TRUE(analysis::isContained(analysis::signatureOf(finding.reduced),
                                    analysis::signatureOf(makeFinding("torch.relu(x.t() + 1)").reduced)));
  EXPECT_FALSE(analysis::isContained(analysis::signatureOf(makeFinding("x.t().sin()").reduced),
                                     analysis::signatureOf(makeFinding("x.sin().t()").reduced)));
}

} // namespace touchstone::tests
