#include "harness/diff/OutcomeChange.h"

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

using language::Outcome;

worker::BackendResult resultOf(Outcome outcome, const std::string& text, const std::string& symptom = "",
                               const std::string& shows = "") {
  worker::BackendResult result;
  result.outcome = outcome;
  result.text = text;
  result.symptom = symptom;
  if (!shows.empty()) {
    result.shows = {shows};
  }
  return result;
}

const worker::BackendResult kAgreed = resultOf(Outcome::kAgreed, "Agreed");
const worker::BackendResult kVacuous = resultOf(Outcome::kVacuous, "Vacuous", "Vacuous");
const worker::BackendResult kValues =
    resultOf(Outcome::kDiffers, "Differs/values/call 0 output 0", "Differs/values/output 0", "Differs/values");
const worker::BackendResult kStrides =
    resultOf(Outcome::kDiffers, "Differs/strides/call 0 output 0", "Differs/strides/output 0", "Differs/strides");
const worker::BackendResult kRefused = resultOf(Outcome::kBackendRejected, "BackendRejected/compile",
                                                "BackendRejected/compile/TypeError", "BackendRejected/TypeError");

TEST(OutcomeChangeTest, AFindingThatAppearsIsWorseAndOneThatGoesIsBetter) {
  EXPECT_EQ(diff::changeBetween(kAgreed, kAgreed), diff::ChangeKind::kNone);
  EXPECT_EQ(diff::changeBetween(kAgreed, kValues), diff::ChangeKind::kWorse);
  EXPECT_EQ(diff::changeBetween(kValues, kAgreed), diff::ChangeKind::kBetter);
  EXPECT_EQ(diff::changeBetween(kRefused, kAgreed), diff::ChangeKind::kBetter);
  EXPECT_EQ(diff::changeBetween(kValues, kStrides), diff::ChangeKind::kOther);
  EXPECT_EQ(diff::changeBetween(kValues, kRefused), diff::ChangeKind::kOther);
}

TEST(OutcomeChangeTest, WhatIsNoLongerJudgedIsWorse) {
  EXPECT_EQ(diff::changeBetween(kAgreed, kVacuous), diff::ChangeKind::kWorse);
  EXPECT_EQ(diff::changeBetween(kVacuous, kAgreed), diff::ChangeKind::kBetter);
  EXPECT_EQ(diff::changeBetween(kVacuous, kValues), diff::ChangeKind::kWorse);
}

TEST(OutcomeChangeTest, WhatAWeakerBackendShowsTooIsWhatIsSeen) {
  for (const worker::BackendResult& each : {kRefused, kValues, kStrides}) {
    worker::BackendResult upstream = each;
    upstream.outcome = Outcome::kUpstream;
    upstream.origin = "torch:eager";
    EXPECT_EQ(diff::changeBetween(each, upstream), diff::ChangeKind::kNone) << each.text;
    EXPECT_EQ(diff::changeBetween(upstream, each), diff::ChangeKind::kNone) << each.text;
  }
}

TEST(OutcomeChangeTest, AnotherPlaceOrExceptionIsAnotherOutcome) {
  worker::BackendResult moved = kValues;
  moved.text = "Differs/values/call 1 output 0";
  EXPECT_EQ(diff::changeBetween(kValues, moved), diff::ChangeKind::kOther);
  EXPECT_EQ(diff::outcomeClassOf(kValues), diff::outcomeClassOf(moved));
  worker::BackendResult other = kRefused;
  other.symptom = "BackendRejected/compile/ValueError";
  EXPECT_EQ(diff::changeBetween(kRefused, other), diff::ChangeKind::kOther);
}

TEST(OutcomeChangeTest, WhomToBlameIsNoChange) {
  worker::BackendResult upstream = kValues;
  upstream.outcome = Outcome::kUpstream;
  upstream.detail = "aot_eager";
  EXPECT_EQ(diff::changeBetween(kValues, upstream), diff::ChangeKind::kNone);
  EXPECT_EQ(diff::changeBetween(kAgreed, upstream), diff::ChangeKind::kWorse)
      << "of two installations the base may be the one";
}

TEST(OutcomeChangeTest, WhereOneSidesEagerRejectsTheCaseNothingIsWorse) {
  const worker::BackendResult rejected = resultOf(Outcome::kEagerRejected, "EagerRejected");
  EXPECT_EQ(diff::changeBetween(kAgreed, rejected), diff::ChangeKind::kOther);
  EXPECT_EQ(diff::changeBetween(rejected, kValues), diff::ChangeKind::kOther);
  EXPECT_EQ(diff::changeBetween(rejected, rejected), diff::ChangeKind::kNone);
}

} // namespace
} // namespace touchstone::tests
