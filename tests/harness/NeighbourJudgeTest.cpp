#include "program/parser/CaseParser.h"
#include "harness/triage/Neighbours.h"
#include "tests/harness/BinaryRun.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace touchstone::harness {

namespace {

constexpr const char* kWrongRelu = "relu_accuracy_error_TESTING_ONLY";

NeighbourOutcome outcomeFor(WorkerPool& pool, const Symptom& wanted, const std::string& returned) {
  return neighbourJudge(pool, wanted)({graph::parsePrinted(smallCase(returned))}).at(0);
}

} // namespace

TEST(NeighbourJudgeTest, WhatANeighbourShowsIsHeldAgainstTheSymptom) {
  WorkerPool pool({1, {kWrongRelu}, {}, TOUCHSTONE_BINARY_DIR "/harness/touchstone"});
  EXPECT_FALSE(symptomUnder(pool, kWrongRelu, graph::parsePrinted(smallCase("x.cos()"))).has_value());
  const std::optional<Symptom> found = symptomUnder(pool, kWrongRelu, graph::parsePrinted(smallCase("torch.relu(x)")));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(outcomeFor(pool, *found, "torch.relu(x)"), NeighbourOutcome::kShows);
  EXPECT_EQ(outcomeFor(pool, *found, "x.cos()"), NeighbourOutcome::kBehaves);
  Symptom wanted = *found;
  wanted.text = "Differs/strides/output";
  EXPECT_EQ(outcomeFor(pool, wanted, "torch.relu(x)"), NeighbourOutcome::kFails) << "a difference as well";
  wanted.text = "InternalError/compile/KeyError";
  EXPECT_EQ(outcomeFor(pool, wanted, "torch.relu(x)"), NeighbourOutcome::kNeither);
  wanted = *found;
  wanted.origin = "aot_eager";
  EXPECT_EQ(outcomeFor(pool, wanted, "torch.relu(x)"), NeighbourOutcome::kNeither);
}

} // namespace touchstone::harness
