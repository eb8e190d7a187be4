#include "harness/store/FindingStore.h"

#include "graph/program/CaseParser.h"
#include "harness/AtomicFile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace touchstone::harness {

namespace {

class FindingStoreTest : public testing::Test {
 protected:
  FindingStoreTest()
      : folder_(std::filesystem::temp_directory_path() / ("touchstone_store_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
  }
  ~FindingStoreTest() override { std::filesystem::remove_all(folder_); }

  static Finding makeFinding(const std::string& body = "x.t()") {
    Finding finding;
    finding.reduced = graph::parseCase(
        "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    x = torch.ones((2, 3))\n"
        "    return (x,), ()\n\n\ndef program(x):\n    return " +
            body + "\n\n\nCALLS = [\n    dict(inputs=\"inputs\"),\n]\n",
        {"<text>", false});
    finding.result.backend = "torch:aot_eager";
    finding.result.outcome = graph::Outcome::kDiffers;
    finding.result.text = "Differs/strides/call 0 output 0";
    finding.result.symptom = "Differs/strides/output 0";
    finding.result.origin = "torch:aot_eager";
    finding.result.baseOutcome = "Agreed";
    finding.result.message = "eager (1, 3)\ncompiled (3, 1)";
    finding.symptom = symptomOf(finding.result);
    finding.foundBy = "seed 7 case 3";
    finding.id = clusterId(finding.symptom, skeletonOf(finding.reduced));
    return finding;
  }

  const std::filesystem::path folder_;
};

} // namespace

TEST_F(FindingStoreTest, WhatIsWrittenIsKnownToTheNextStore) {
  Finding finding = makeFinding();
  FindingStore(folder_).write(finding);
  const FindingStore next(folder_);
  ASSERT_EQ(next.clusters().size(), 1u);
  EXPECT_EQ(next.clusters()[0].id, finding.id);
  EXPECT_EQ(next.clusters()[0].symptom, finding.symptom);
  EXPECT_EQ(next.clusters()[0].skeleton.text(), skeletonOf(finding.reduced).text());
  const graph::Case stored = graph::readCase(finding.file);
  EXPECT_EQ(stored.expectations.at(0).text(), "torch:aot_eager Differs/strides/call 0 output 0");
  EXPECT_EQ(stored.header("found-by"), "seed 7 case 3");
  EXPECT_TRUE(stored.header("torch").has_value());
  EXPECT_TRUE(stored.header("cpu").has_value());
}

TEST_F(FindingStoreTest, TheStageIsAHeaderWhereItIsKnown) {
  FindingStore store(folder_);
  Finding finding = makeFinding();
  store.write(finding);
  EXPECT_FALSE(graph::readCase(finding.file).header("stage").has_value());
  finding.stage = Rung{"torch:aot_eager", "AOT\nAutograd"};
  store.write(finding);
  EXPECT_EQ(graph::readCase(finding.file).header("stage"), "torch:aot_eager (AOT Autograd)");
}

TEST_F(FindingStoreTest, NeverOverwritesAFile) {
  Finding finding = makeFinding();
  const std::filesystem::path taken = folder_ / (finding.id + ".py");
  writeFile(taken, "mine\n");
  FindingStore(folder_).write(finding);
  EXPECT_EQ(readFile(taken), "mine\n");
  EXPECT_NE(finding.file, taken);
  EXPECT_TRUE(std::filesystem::exists(finding.file));
}

TEST_F(FindingStoreTest, ClustersDifferBySymptomAndOperatorsButNotBySizes) {
  const Finding finding = makeFinding();
  EXPECT_EQ(finding.id.rfind("torch-aot_eager-strides-", 0), 0u) << finding.id;
  EXPECT_NE(makeFinding("x.t().sin()").id, finding.id);
  EXPECT_EQ(makeFinding("torch.sum(x, 0)").id, makeFinding("torch.sum(x, 1)").id);
  Symptom other = finding.symptom;
  other.text = "Differs/strides/output 1";
  EXPECT_NE(clusterId(other, skeletonOf(finding.reduced)), finding.id);
  EXPECT_TRUE(isContained(skeletonOf(finding.reduced), skeletonOf(makeFinding("torch.relu(x.t() + 1)").reduced)));
  EXPECT_FALSE(
      isContained(skeletonOf(makeFinding("x.t().sin()").reduced), skeletonOf(makeFinding("x.sin().t()").reduced)));
}

} // namespace touchstone::harness
