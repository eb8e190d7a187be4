#include "harness/triage/Neighbours.h"
#include "program/parser/CaseParser.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::tests {

namespace {

constexpr const char* kWrongRelu = "relu_accuracy_error_TESTING_ONLY";

triage::NeighbourOutcome outcomeFor(pool::WorkerPool& pool, const worker::Symptom& wanted,
                                    const std::string& returned) {
  return triage::neighbourJudge(pool, wanted)({parser::parsePrinted(smallCase(returned))}).at(0);
}

} // namespace

TEST(NeighbourJudgeTest, WhatANeighbourShowsIsHeldAgainstTheSymptom) {
  pool::WorkerPool pool({1, {kWrongRelu}, {}, TOUCHSTONE_BINARY_DIR "/harness/touchstone"});
  EXPECT_FALSE(triage::symptomUnder(pool, kWrongRelu, parser::parsePrinted(smallCase("x.cos()"))).has_value());
  const std::optional<worker::Symptom> found =
      triage::symptomUnder(pool, kWrongRelu, parser::parsePrinted(smallCase("torch.relu(x)")));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(outcomeFor(pool, *found, "torch.relu(x)"), triage::NeighbourOutcome::kShows);
  EXPECT_EQ(outcomeFor(pool, *found, "x.cos()"), triage::NeighbourOutcome::kBehaves);
  worker::Symptom wanted = *found;
  wanted.text = "Differs/strides/output";
  EXPECT_EQ(outcomeFor(pool, wanted, "torch.relu(x)"), triage::NeighbourOutcome::kFails) << "a difference as well";
  wanted.text = "InternalError/compile/KeyError";
  EXPECT_EQ(outcomeFor(pool, wanted, "torch.relu(x)"), triage::NeighbourOutcome::kNeither);
  wanted = *found;
  wanted.origin = "aot_eager";
  EXPECT_EQ(outcomeFor(pool, wanted, "torch.relu(x)"), triage::NeighbourOutcome::kNeither);
}

} // namespace touchstone::tests
