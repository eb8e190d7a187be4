#include "harness/diff/OutcomeChange.h"

#include <gtest/gtest.h>

namespace touchstone::harness {
namespace {

using graph::Outcome;

BackendResult resultOf(Outcome outcome, const std::string& text, const std::string& symptom = "",
                       const std::string& shows = "") {
  BackendResult result;
  result.outcome = outcome;
  result.text = text;
  result.symptom = symptom;
  if (!shows.empty()) {
    result.shows = {shows};
  }
  return result;
}

const BackendResult kAgreed = resultOf(Outcome::kAgreed, "Agreed");
const BackendResult kVacuous = resultOf(Outcome::kVacuous, "Vacuous", "Vacuous");
const BackendResult kValues =
    resultOf(Outcome::kDiffers, "Differs/values/call 0 output 0", "Differs/values/output 0", "Differs/values");
const BackendResult kStrides =
    resultOf(Outcome::kDiffers, "Differs/strides/call 0 output 0", "Differs/strides/output 0", "Differs/strides");
const BackendResult kRefused = resultOf(Outcome::kBackendRejected, "BackendRejected/compile",
                                        "BackendRejected/compile/TypeError", "BackendRejected/TypeError");

TEST(OutcomeChangeTest, AFindingThatAppearsIsWorseAndOneThatGoesIsBetter) {
  EXPECT_EQ(changeBetween(kAgreed, kAgreed), ChangeKind::kNone);
  EXPECT_EQ(changeBetween(kAgreed, kValues), ChangeKind::kWorse);
  EXPECT_EQ(changeBetween(kValues, kAgreed), ChangeKind::kBetter);
  EXPECT_EQ(changeBetween(kRefused, kAgreed), ChangeKind::kBetter);
  EXPECT_EQ(changeBetween(kValues, kStrides), ChangeKind::kOther);
  EXPECT_EQ(changeBetween(kValues, kRefused), ChangeKind::kOther);
}

TEST(OutcomeChangeTest, WhatIsNoLongerJudgedIsWorse) {
  EXPECT_EQ(changeBetween(kAgreed, kVacuous), ChangeKind::kWorse);
  EXPECT_EQ(changeBetween(kVacuous, kAgreed), ChangeKind::kBetter);
  EXPECT_EQ(changeBetween(kVacuous, kValues), ChangeKind::kWorse);
}

TEST(OutcomeChangeTest, WhatAWeakerBackendShowsTooIsWhatIsSeen) {
  for (const BackendResult& each : {kRefused, kValues, kStrides}) {
    BackendResult upstream = each;
    upstream.outcome = Outcome::kUpstream;
    upstream.origin = "torch:eager";
    EXPECT_EQ(changeBetween(each, upstream), ChangeKind::kNone) << each.text;
    EXPECT_EQ(changeBetween(upstream, each), ChangeKind::kNone) << each.text;
  }
}

TEST(OutcomeChangeTest, AnotherPlaceOrExceptionIsAnotherOutcome) {
  BackendResult moved = kValues;
  moved.text = "Differs/values/call 1 output 0";
  EXPECT_EQ(changeBetween(kValues, moved), ChangeKind::kOther);
  EXPECT_EQ(outcomeClassOf(kValues), outcomeClassOf(moved));
  BackendResult other = kRefused;
  other.symptom = "BackendRejected/compile/ValueError";
  EXPECT_EQ(changeBetween(kRefused, other), ChangeKind::kOther);
}

TEST(OutcomeChangeTest, WhomToBlameIsNoChange) {
  BackendResult upstream = kValues;
  upstream.outcome = Outcome::kUpstream;
  upstream.detail = "aot_eager";
  EXPECT_EQ(changeBetween(kValues, upstream), ChangeKind::kNone);
  EXPECT_EQ(changeBetween(kAgreed, upstream), ChangeKind::kWorse) << "of two installations the base may be the one";
}

TEST(OutcomeChangeTest, WhereOneSidesEagerRejectsTheCaseNothingIsWorse) {
  const BackendResult rejected = resultOf(Outcome::kEagerRejected, "EagerRejected");
  EXPECT_EQ(changeBetween(kAgreed, rejected), ChangeKind::kOther);
  EXPECT_EQ(changeBetween(rejected, kValues), ChangeKind::kOther);
  EXPECT_EQ(changeBetween(rejected, rejected), ChangeKind::kNone);
}

} // namespace
} // namespace touchstone::harness
