// Rule A7 where an operator is computed in simpler steps: how these round is taken from the native pipeline's own.

#include "harness/worker/JudgeBackend.h"
#include "tests/oracles/PlantedProgram.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {
namespace {

using ir::RuleSet;

constexpr const char* kTwoCalls =
    "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\"),\n    dict(inputs=\"inputs\", seed=8, kind=\"uniform\"),";

struct Told {
  RuleSet set = RuleSet::kInductor;
  bool steps = true; // how simpler ones round is known
  const char* dtype = "float32";
  std::string calls = kTwoCalls;
};

/// The outcome of a Program in which a test plants a change.
std::string outcomeWith(const std::string& program, PlantedProgram::Plant plant, const Told& told = {}) {
  const language::Case theCase =
      caseOf("def inputs(seed, kind):\n    x = data((1, 3, 3), torch." + std::string(told.dtype) +
                 ", (seed, 1), kind)\n    return (x,), ()\n\n\ndef program(x):\n" + program,
             told.calls);
  compare::JudgeOptions options;
  options.rules = compare::rulesOf(told.set);
  if (told.steps) {
    options.inSteps = worker::simplerSteps();
  }
  const compare::EagerReference eager(theCase, options);
  PlantedProgram compiled(theCase, std::move(plant));
  return kindOf(compare::judge(theCase, eager, compiled, infoOf(told.set), options));
}

/// The same when output 0, in double precision, is another by this factor.
std::string outcomeOf(const std::string& program, double factor, RuleSet set, bool knowsSteps = true) {
  return outcomeWith(program, changeOutput(0, [factor](const at::Tensor& each) { return each * factor; }),
                     {.set = set, .steps = knowsSteps, .dtype = "float64"});
}

// Far below zero what gelu computes cancels, in double precision as well: nothing outside of the operator tells by how much.
constexpr const char* kCancels = "    return (torch.nn.functional.gelu(x.abs() * -0.125 - 5),)\n";

TEST(StepEvidenceTest, WhatCancelsInsideAnOperatorMayDifferByAsMuch) {
  EXPECT_EQ(outcomeOf(kCancels, 1 + 1e-10, RuleSet::kNativeRounding), "Agreed");
  EXPECT_EQ(outcomeOf(kCancels, 1 + 1e-10, RuleSet::kInductor), "Agreed");
  EXPECT_EQ(outcomeOf(kCancels, 1 + 1e-10, RuleSet::kInductor, /*knowsSteps=*/false), "Differs/values");
}

TEST(StepEvidenceTest, AWrongDecompositionStaysADifference) {
  EXPECT_EQ(outcomeOf(kCancels, 1 + 1e-4, RuleSet::kNativeRounding), "Differs/values");
  EXPECT_EQ(outcomeOf("    return (torch.nn.functional.gelu(x.abs() + 1),)\n", 1 + 1e-10, RuleSet::kNativeRounding),
            "Differs/values");
}

TEST(StepEvidenceTest, BackendsThatKeepOperatorsWholeHaveNoSuchBound) {
  EXPECT_EQ(outcomeOf(kCancels, 1 + 1e-10, RuleSet::kAot), "Differs/values");
}

PlantedProgram::Plant otherDtype() {
  return changeOutput(0, [](const at::Tensor& each) { return each.to(at::kDouble); });
}

TEST(StepEvidenceTest, ABoolThatRoundingDecidesIsIllConditioned) {
  const std::string program = "    y = torch.logaddexp2(x * 0 - 1, x * 0 - 1)\n    return (y.any(),)\n";
  const auto negated = changeOutput(0, [](const at::Tensor& each) { return each.logical_not(); });
  EXPECT_EQ(outcomeWith(program, negated), "IllConditioned");
  EXPECT_EQ(outcomeWith("    return ((x.exp() > 0).any(),)\n", negated), "Differs/values");
}

// The sum of normalized rows is nothing but rounding.
constexpr const char* kRoundsIntoABranch =
    "    y = torch.nn.functional.layer_norm(x, (3,))\n    if y.sum() > 0:\n        y = y.sin()\n    return (y,)\n";
constexpr const char* kNoBranch = "    y = torch.nn.functional.layer_norm(x, (3,))\n    return (y.sin(),)\n";

TEST(StepEvidenceTest, WhereRoundingDecidesTheWayNothingIsKnownOfIt) {
  EXPECT_EQ(outcomeWith(kRoundsIntoABranch, otherDtype()), "IllConditioned");
  EXPECT_EQ(outcomeWith(kNoBranch, otherDtype()), "Differs/dtype");
}

TEST(StepEvidenceTest, ExactCallsGoOneWay) {
  const std::string program =
      "    y = x * 1\n    for i in range(int(x.max() * 4) + 40):\n        y = y + 1\n    return (y,)\n";
  EXPECT_EQ(outcomeWith(program, otherDtype(),
                        {.calls = "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),"}),
            "Differs/dtype");
}

TEST(StepEvidenceTest, NumbersReadInManyCallsAreNoOtherWay) {
  std::string calls;
  for (int seed = 0; seed < 22; ++seed) {
    calls += "    dict(inputs=\"inputs\", seed=" + std::to_string(seed) + ", kind=\"uniform\"),\n";
  }
  EXPECT_EQ(outcomeWith("    s = x.exp().sum().item()\n    return (x * s,)\n", otherDtype(), {.calls = calls}),
            "Differs/dtype");
}

} // namespace
} // namespace touchstone::tests
