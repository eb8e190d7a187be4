// Rule A7 where an operator is computed in simpler steps: how these round is taken from the native pipeline's own.

#include "harness/worker/JudgeBackend.h"
#include "tests/oracles/PlantedProgram.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <string>

namespace touchstone::harness {
namespace {

using graph::RuleSet;

constexpr const char* kTwoCalls =
    "    dict(inputs=\"inputs\", seed=7, kind=\"uniform\"),\n    dict(inputs=\"inputs\", seed=8, kind=\"uniform\"),";

/// The outcome when output 0 is another by this factor.
std::string outcomeOf(const std::string& program, double factor, RuleSet set, bool knowsSteps = true) {
  const graph::Case theCase = oracles::caseOf(
      "def inputs(seed, kind):\n    x = data((3,), torch.float64, (seed, 1), kind)\n    return (x,), ()\n\n\n"
      "def program(x):\n" +
          program,
      kTwoCalls);
  oracles::JudgeOptions options;
  options.rules = oracles::rulesOf(set);
  if (knowsSteps)
    options.inSteps = simplerSteps();
  const oracles::EagerReference eager(theCase, options);
  oracles::PlantedProgram compiled(theCase,
                                   oracles::changeOutput(0, [&](const at::Tensor& each) { return each * factor; }));
  return oracles::kindOf(oracles::judge(theCase, eager, compiled, oracles::infoOf(set), options));
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

/// The outcome under Inductor's rules of a Program in which a test plants a change.
std::string outcomeWith(const std::string& program, oracles::PlantedProgram::Plant plant,
                        const char* calls = kTwoCalls) {
  const graph::Case theCase = oracles::caseOf(
      "def inputs(seed, kind):\n    x = data((1, 3, 3), torch.float32, (seed, 1), kind)\n    return (x,), ()\n\n\n"
      "def program(x):\n" +
          program,
      calls);
  oracles::JudgeOptions options;
  options.rules = oracles::rulesOf(RuleSet::kInductor);
  options.inSteps = simplerSteps();
  const oracles::EagerReference eager(theCase, options);
  oracles::PlantedProgram compiled(theCase, std::move(plant));
  return oracles::judge(theCase, eager, compiled, oracles::infoOf(RuleSet::kInductor), options).text();
}

oracles::PlantedProgram::Plant otherDtype() {
  return oracles::changeOutput(0, [](const at::Tensor& each) { return each.to(at::kDouble); });
}

TEST(StepEvidenceTest, ABoolThatRoundingDecidesIsIllConditioned) {
  const std::string program = "    y = torch.logaddexp2(x * 0 - 1, x * 0 - 1)\n    return (y.any(),)\n";
  const auto negated = oracles::changeOutput(0, [](const at::Tensor& each) { return each.logical_not(); });
  EXPECT_EQ(outcomeWith(program, negated), "IllConditioned");
  EXPECT_EQ(outcomeWith("    return ((x.exp() > 0).any(),)\n", negated), "Differs/values/call 0 output 0");
}

// The sum of normalized rows is nothing but rounding.
constexpr const char* kRoundsIntoABranch =
    "    y = torch.nn.functional.layer_norm(x, (3,))\n    if y.sum() > 0:\n        y = y.sin()\n    return (y,)\n";
constexpr const char* kNoBranch = "    y = torch.nn.functional.layer_norm(x, (3,))\n    return (y.sin(),)\n";

TEST(StepEvidenceTest, WhereRoundingDecidesTheWayNothingIsKnownOfIt) {
  EXPECT_EQ(outcomeWith(kRoundsIntoABranch, otherDtype()), "IllConditioned");
  EXPECT_EQ(outcomeWith(kNoBranch, otherDtype()).substr(0, 13), "Differs/dtype");
}

TEST(StepEvidenceTest, ExactCallsGoOneWay) {
  const std::string program =
      "    y = x * 1\n    for i in range(int(x.max() * 4) + 40):\n        y = y + 1\n    return (y,)\n";
  EXPECT_EQ(
      outcomeWith(program, otherDtype(), "    dict(inputs=\"inputs\", seed=7),\n    dict(inputs=\"inputs\", seed=8),")
          .substr(0, 13),
      "Differs/dtype");
}

TEST(StepEvidenceTest, NumbersReadInManyCallsAreNoOtherWay) {
  std::string calls;
  for (int seed = 0; seed < 22; ++seed)
    calls += "    dict(inputs=\"inputs\", seed=" + std::to_string(seed) + ", kind=\"uniform\"),\n";
  EXPECT_EQ(
      outcomeWith("    s = x.exp().sum().item()\n    return (x * s,)\n", otherDtype(), calls.c_str()).substr(0, 13),
      "Differs/dtype");
}

} // namespace
} // namespace touchstone::harness
