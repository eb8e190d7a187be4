#include "harness/diff/DiffReport.h"
#include "harness/diff/ObservedChanges.h"

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

const std::string kTensor = "dtype Float; sizes [2]; strides [1]; values 00ff [1, 2]";

worker::BackendResult showing(observe::ObservationTexts texts, std::vector<std::string> rules = {}) {
  worker::BackendResult result;
  result.observed = {{true, std::move(rules), std::move(texts)}};
  return result;
}

std::string described(const std::vector<diff::ObservedChange>& changes) {
  std::string text;
  for (const diff::ObservedChange& each : changes) {
    text += each.where + " " + each.property + ": " + each.left + " → " + each.right + "\n";
  }
  return text;
}

TEST(ObservedChangesTest, EachPropertyOfATensorIsToldApart) {
  const worker::BackendResult left = showing({{"output 0", kTensor}, {"state", "s"}});
  EXPECT_EQ(described(diff::observedChanges(left, left)), "");
  const worker::BackendResult right =
      showing({{"output 0", "dtype Float; sizes [2]; strides [2]; values 00fe [1, 3]"}, {"state", "s"}});
  EXPECT_EQ(described(diff::observedChanges(left, right)),
            "output 0 strides: [1] → [2]\noutput 0 values: 00ff [1, 2] → 00fe [1, 3]\n");
}

TEST(ObservedChangesTest, WhatIsThereOnOneSideAloneIsSeen) {
  const worker::BackendResult left = showing({{"gradient 0 of arg 0", "None"}});
  const worker::BackendResult right = showing({{"gradient 0 of arg 0", kTensor}, {"writing to arg 0", "output 0"}});
  EXPECT_EQ(described(diff::observedChanges(left, right)),
            "gradient 0 of arg 0 text: None → " + kTensor + "\nwriting to arg 0 text:  → output 0\n");
}

TEST(ObservedChangesTest, AddressesAreNoDifference) {
  const auto raising = [](const std::string& address) {
    return showing({{"exception", "forward: RuntimeError: <object at " + address + ">"}});
  };
  EXPECT_TRUE(diff::observedChanges(raising("0x7f00aa10"), raising("0x7f00bb20")).empty());
}

TEST(ObservedChangesTest, CallsThatOneSideHasNotJudgedAreLeftOut) {
  worker::BackendResult left = showing({{"output 0", kTensor}}), right = showing({{"output 0", "another"}});
  EXPECT_EQ(diff::observedChanges(left, right).size(), 1u);
  right.observed[0].agreed = false;
  EXPECT_TRUE(diff::observedChanges(left, right).empty());
}

TEST(ObservedChangesTest, CasesAreCountedByWhetherARuleAllowsIt) {
  diff::ObservedSummary summary;
  const worker::BackendResult left = showing({{"output 0", kTensor}}, {"A7"}),
                              right = showing({{"output 0", "x"}}, {"A6"});
  worker::BackendResult plain = showing({{"output 0", "x"}}), more = plain;
  plain.observed[0].rules = {};
  summary.add("within", diff::observedChanges(left, right), true);
  summary.add("beyond", diff::observedChanges(showing({{"output 0", kTensor}}), plain), true);
  more.counters.graphs = 2;
  summary.add("compiled", diff::observedChanges(plain, more), false);
  summary.add("same", {}, true);
  EXPECT_EQ(summary.compared, 4);
  EXPECT_EQ(summary.withinRules, 1);
  EXPECT_EQ(summary.beyondRules, 1);
  EXPECT_EQ(summary.otherCounts, 1);
  EXPECT_EQ(summary.cases.size(), 2u);
  EXPECT_EQ(summary.properties, (std::map<std::string, int64_t>{{"output (A6, A7)", 1}, {"output", 1}, {"graphs", 1}}));
}

} // namespace
} // namespace touchstone::tests
