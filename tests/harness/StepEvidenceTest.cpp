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

TEST(StepEvidenceTest, ANumberThatRoundingDecidesIsIllConditioned) {
  const std::string program = "    y = torch.logaddexp2(x * 0 - 1, x * 0 - 1)\n    return y + 1, y.any()\n";
  const graph::Case theCase = oracles::caseOf(
      "def inputs(seed, kind):\n    x = data((3,), torch.float64, (seed, 1), kind)\n    return (x,), ()\n\n\n"
      "def program(x):\n" +
          program,
      kTwoCalls);
  oracles::JudgeOptions options;
  options.rules = oracles::rulesOf(RuleSet::kNativeRounding);
  options.inSteps = simplerSteps();
  const oracles::EagerReference eager(theCase, options);
  oracles::PlantedProgram compiled(theCase,
                                   oracles::changeOutput(1, [](const at::Tensor& each) { return each.logical_not(); }));
  EXPECT_EQ(oracles::judge(theCase, eager, compiled, oracles::infoOf(RuleSet::kNativeRounding), options).text(),
            "IllConditioned");
}

} // namespace
} // namespace touchstone::harness
