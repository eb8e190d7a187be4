#include "oracles/evidence/RoundingBound.h"

#include "oracles/compare/CompareValues.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace touchstone::tests {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

at::Tensor floats(std::initializer_list<float> values) {
  return at::tensor(std::vector<float>(values));
}
at::Tensor doubles(std::initializer_list<double> values) {
  return at::tensor(std::vector<double>(values), at::kDouble);
}

evidence::BoundedElements bounded(const at::Tensor& eager, const at::Tensor& compiled,
                                  const evidence::RoundingEvidence& evidence) {
  return evidence::applyBound(eager, compiled, compare::differingElements(eager, compiled), evidence);
}

TEST(RoundingBoundTest, UnitInLastPlaceFollowsTheDtype) {
  EXPECT_EQ(evidence::unitInLastPlace(1, at::kFloat), std::ldexp(1, -23));
  EXPECT_EQ(evidence::unitInLastPlace(1.5, at::kDouble), std::ldexp(1, -52));
  EXPECT_EQ(evidence::unitInLastPlace(-4, at::kHalf), std::ldexp(1, -8));
  EXPECT_EQ(evidence::unitInLastPlace(1, at::kBFloat16), std::ldexp(1, -7));
  EXPECT_EQ(evidence::unitInLastPlace(0, at::kFloat), std::ldexp(1, -149));
}

TEST(RoundingBoundTest, EightUnitsWithoutOtherEvidence) {
  const float unit = std::ldexp(1.0F, -23);
  const evidence::BoundedElements result =
      bounded(floats({1, 1, 1}), floats({1, 1 + 8 * unit, 1 + 9 * unit}), {doubles({1, 1, 1}), {}, {}, {}});
  EXPECT_EQ(result.beyond, (std::vector<int64_t>{2}));
  EXPECT_TRUE(result.illConditioned.empty());
}

TEST(RoundingBoundTest, TheBoundIsOfTheElementAlone) {
  // Cancellation in element 0 widens its bound and no other's.
  const evidence::RoundingEvidence evidence{doubles({1.01, 1}), {floats({1, 1})}, {}, {}};
  const evidence::BoundedElements result = bounded(floats({1, 1}), floats({1.05F, 1.05F}), evidence);
  EXPECT_EQ(result.beyond, (std::vector<int64_t>{1}));
}

TEST(RoundingBoundTest, WhatVanishesInDoublePrecisionIsBoundByTheLeastNormalNumber) {
  const auto isWithin = [](double difference, at::ScalarType dtype) {
    const at::Tensor eager = doubles({0}).to(dtype);
    const at::Tensor compiled = at::tensor(std::vector<double>{difference}, at::kDouble).to(dtype);
    return bounded(eager, compiled, {doubles({0}), {}, {}, {}}).beyond.empty();
  };
  EXPECT_TRUE(isWithin(0x7p-126, at::kFloat));
  EXPECT_FALSE(isWithin(0x9p-126, at::kFloat));
  EXPECT_TRUE(isWithin(0x7p-1022, at::kDouble));
  EXPECT_FALSE(isWithin(0x1p-14, at::kHalf)) << "its least normal number is large";
}

TEST(RoundingBoundTest, MovedRunsWidenTheBound) {
  const evidence::RoundingEvidence evidence{at::Tensor(), {floats({1.01F}), floats({1})}, {}, {}};
  EXPECT_TRUE(bounded(floats({1}), floats({1.07F}), evidence).beyond.empty());
  EXPECT_EQ(bounded(floats({1}), floats({1.09F}), evidence).beyond.size(), 1u);
}

TEST(RoundingBoundTest, NanAndInfinityMustAgreeUnlessTheEvidenceDoesNot) {
  const at::Tensor eager = floats({kNaN, kInfinite, 1}), compiled = floats({1, 3e38F, kNaN});
  const evidence::BoundedElements strict = bounded(eager, compiled, {doubles({NAN, INFINITY, 1}), {eager}, {}, {}});
  EXPECT_EQ(strict.beyond, (std::vector<int64_t>{0, 1, 2}));
  // In double precision it is finite, but no float32: an infinity all the same.
  EXPECT_EQ(bounded(floats({kInfinite}), floats({1}), {doubles({1e39}), {}, {}, {}}).beyond.size(), 1u);
  const evidence::BoundedElements ill =
      bounded(eager, compiled, {at::Tensor(), {floats({2, 3e38F, kInfinite})}, {}, {}});
  EXPECT_EQ(ill.illConditioned, (std::vector<int64_t>{0, 1, 2}));
}

TEST(RoundingBoundTest, ASumThatOverflowsIsNanOrInfiniteByItsOrder) {
  const auto isExcused = [](float compiled, double inDouble, bool isInSteps) {
    evidence::RoundingEvidence evidence{doubles({inDouble}), {}, {}, {}};
    evidence.steps.asItIs = floats({isInSteps ? kNaN : kInfinite});
    return bounded(floats({kInfinite}), floats({compiled}), evidence).illConditioned.size() == 1;
  };
  EXPECT_TRUE(isExcused(kNaN, 6e38, true));
  EXPECT_FALSE(isExcused(kNaN, 6e38, false)) << "simpler steps add in eager's order";
  EXPECT_FALSE(isExcused(kNaN, kInfinite, true)) << "infinite by itself";
  EXPECT_FALSE(isExcused(kNaN, 1e60, true)) << "in every order";
  EXPECT_FALSE(isExcused(1, 6e38, true));
}

TEST(RoundingBoundTest, IntegersAreBitExactUnlessAMovedRunDiffers) {
  const at::Tensor eager = at::tensor(std::vector<int64_t>{1, 2}), compiled = at::tensor(std::vector<int64_t>{3, 3});
  const evidence::BoundedElements result =
      bounded(eager, compiled, {at::Tensor(), {at::tensor(std::vector<int64_t>{1, 5})}, {}, {}});
  EXPECT_EQ(result.beyond, (std::vector<int64_t>{0}));
  EXPECT_EQ(result.illConditioned, (std::vector<int64_t>{1}));
}

TEST(RoundingBoundTest, IntegersThatADoubleDoesNotHoldAreTold) {
  constexpr int64_t kLarge = -4618507380599061348;
  const at::Tensor eager = at::tensor(std::vector<int64_t>{kLarge}),
                   other = at::tensor(std::vector<int64_t>{kLarge - 1});
  EXPECT_EQ(bounded(eager, other, {{}, {eager}, {}, {}}).beyond.size(), 1u);
  const evidence::BoundedElements moved = bounded(eager, other, {{}, {other}, {}, {}});
  EXPECT_TRUE(moved.beyond.empty());
  EXPECT_EQ(moved.illConditioned.size(), 1u);
}

TEST(RoundingBoundTest, BothPartsOfAComplexNumberAreJudgedTogether) {
  const auto complexes = [](float real, float imaginary) { return at::complex(floats({real}), floats({imaginary})); };
  const at::Tensor eager = complexes(kNaN, -kInfinite), compiled = complexes(kNaN, kNaN);
  EXPECT_EQ(bounded(eager, compiled, {{}, {eager}, {}, {}}).beyond.size(), 1u);
  EXPECT_EQ(bounded(eager, compiled, {{}, {complexes(1, -kInfinite)}, {}, {}}).illConditioned.size(), 1u);
  // Infinite in single precision alone: by the order of what is added, the other part is a number or none.
  const at::Tensor overflows = complexes(kInfinite, 1), takesBoth = complexes(kInfinite, kNaN);
  const auto inDouble = [](double real, double imaginary) {
    return at::complex(doubles({real}), doubles({imaginary}));
  };
  EXPECT_EQ(bounded(overflows, takesBoth, {inDouble(6e38, 1), {}, {}, {}}).illConditioned.size(), 1u);
  EXPECT_EQ(bounded(complexes(2, 1), complexes(2, kNaN), {inDouble(2, 1), {}, {}, {}}).beyond.size(), 1u);
}

TEST(RoundingBoundTest, AChangedDiscreteIntermediateIsOfItsElementsAlone) {
  const evidence::RoundingEvidence evidence{doubles({1, 1}), {floats({1, 1})}, {false, true}, {}};
  const evidence::BoundedElements result = bounded(floats({1, 1}), floats({2, 2}), evidence);
  EXPECT_EQ(result.beyond, (std::vector<int64_t>{0}));
  EXPECT_EQ(result.illConditioned, (std::vector<int64_t>{1}));
}

TEST(RoundingBoundTest, AnInfiniteMovedRunWidensNoBound) {
  const evidence::RoundingEvidence evidence{doubles({1}), {floats({kInfinite}), floats({1})}, {}, {}};
  const evidence::BoundedElements result = bounded(floats({1}), floats({1000}), evidence);
  EXPECT_TRUE(result.beyond.empty());
  EXPECT_EQ(result.illConditioned, (std::vector<int64_t>{0}));
}

TEST(RoundingBoundTest, AnotherOrderWidensTheBoundAndDoesNothingElse) {
  evidence::RoundingEvidence evidence{doubles({1}), {floats({1})}, {}, {}};
  evidence.reordered = {floats({1.01F}), doubles({1})};
  EXPECT_TRUE(bounded(floats({1}), floats({1.07F}), evidence).beyond.empty());
  EXPECT_EQ(bounded(floats({1}), floats({1.09F}), evidence).beyond.size(), 1u);
  evidence.reordered = {floats({kNaN}), floats({kInfinite})};
  for (const float compiled : {1.07F, kNaN, kInfinite}) {
    EXPECT_EQ(bounded(floats({1}), floats({compiled}), evidence).beyond.size(), 1u) << compiled;
  }
}

TEST(RoundingBoundTest, SimplerStepsTellByHowFarTheyMoveNotByWhatTheyGive) {
  evidence::RoundingEvidence evidence{doubles({1, 1, 1, 1}), {}, {}, {}};
  evidence.steps = {floats({5, 5, 5, 5}),
                    {floats({5.5F, 5, 5, 5}), floats({5, 9, 5, 5}), floats({5, 5, 9, 5})},
                    {true, false, true},
                    {false, false, true}};
  const evidence::BoundedElements result = bounded(floats({1, 1, 1, 1}), floats({4, 4, 4, 5}), evidence);
  EXPECT_EQ(result.beyond, (std::vector<int64_t>{3}));
  EXPECT_EQ(result.illConditioned, (std::vector<int64_t>{1, 2}))
      << "a run that decides something else, or moves zeros, widens no bound";
  EXPECT_EQ(bounded(floats({1, 1}), floats({1, 40}), evidence).beyond, (std::vector<int64_t>{1}));
}

TEST(RoundingBoundTest, WhatOverflowsOnTheWayInSimplerStepsIsIllConditioned) {
  evidence::RoundingEvidence evidence;
  evidence.steps = {floats({-kInfinite, -kInfinite}), {}, {}, {}};
  const evidence::BoundedElements result =
      bounded(floats({-1e38F, -1e37F}), floats({-kInfinite, -kInfinite}), evidence);
  EXPECT_EQ(result.illConditioned, (std::vector<int64_t>{0}));
  EXPECT_EQ(result.beyond, (std::vector<int64_t>{1})) << "nothing so small overflows";
  EXPECT_EQ(bounded(floats({-1e38F}), floats({-kInfinite}), {}).beyond.size(), 1) << "in the operator's own steps";
  EXPECT_EQ(bounded(floats({1e38F, 1}), floats({-kInfinite, 1}), evidence).beyond.size(), 1) << "with the other sign";
}

TEST(RoundingBoundTest, AnOverflowThatMeetsAnInfinityInSimplerStepsIsIllConditioned) {
  const auto isExcused = [](float eager, float inSteps, double inStepsInDouble) {
    evidence::RoundingEvidence evidence{doubles({eager}), {}, {}, {}};
    evidence.steps.asItIs = floats({inSteps});
    evidence.steps.inDouble = [=] { return doubles({inStepsInDouble}); };
    return bounded(floats({eager}), floats({kNaN}), evidence).illConditioned.size() == 1;
  };
  EXPECT_TRUE(isExcused(-kInfinite, kNaN, -kInfinite));
  EXPECT_FALSE(isExcused(-kInfinite, kNaN, kNaN)) << "the steps are wrong";
  EXPECT_FALSE(isExcused(-kInfinite, -kInfinite, -kInfinite)) << "it is not the steps";
  EXPECT_FALSE(isExcused(1, kNaN, 1));
}

TEST(RoundingBoundTest, ZeroTimesInfinityIsIllConditionedWhereTheZeroIsRounded) {
  evidence::RoundingEvidence ofEager{doubles({kNaN}), {}, {}, {}};
  EXPECT_EQ(bounded(floats({kNaN}), floats({-kInfinite}), ofEager).beyond.size(), 1u);
  std::vector<bool> decided = {false};
  ofEager.zerosPerturbed = [&] {
    return evidence::RoundingEvidence::Zeros{{floats({kNaN}), floats({kInfinite})}, {{false}, decided}};
  };
  EXPECT_EQ(bounded(floats({kNaN}), floats({-kInfinite}), ofEager).illConditioned.size(), 1u);
  EXPECT_EQ(bounded(floats({kNaN}), floats({1}), ofEager).beyond.size(), 1u);
  decided = {true};
  EXPECT_EQ(bounded(floats({kNaN}), floats({-kInfinite}), ofEager).beyond.size(), 1u) << "a bool makes the infinity";

  evidence::RoundingEvidence ofSteps{doubles({kInfinite}), {}, {}, {}};
  ofSteps.steps = {floats({kNaN}), {floats({kInfinite})}, {true}, {true}};
  EXPECT_EQ(bounded(floats({kInfinite}), floats({kNaN}), ofSteps).illConditioned.size(), 1u);
  ofSteps.steps.decidesAlike = {false};
  EXPECT_EQ(bounded(floats({kInfinite}), floats({kNaN}), ofSteps).beyond.size(), 1u) << "so does this";
  ofSteps.steps.decidesAlike = {true};
  ofSteps.steps.perturbed = {floats({kNaN})};
  EXPECT_EQ(bounded(floats({kInfinite}), floats({kNaN}), ofSteps).beyond.size(), 1u);
}

TEST(RoundingBoundTest, IntegersThatMoveInSimplerStepsAreIllConditioned) {
  evidence::RoundingEvidence evidence;
  evidence.steps = {
      at::tensor({7, 7, 7}), {at::tensor({8, 7, 7}), at::tensor({7, 8, 7})}, {true, false}, {false, false}};
  const evidence::BoundedElements result = bounded(at::tensor({1, 1, 1}), at::tensor({2, 2, 7}), evidence);
  EXPECT_EQ(result.illConditioned, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(result.beyond, (std::vector<int64_t>{2}));
}

TEST(RoundingBoundTest, BitsAreComparedWithNansEqualAndZerosApart) {
  EXPECT_TRUE(compare::differingElements(floats({kNaN, 1}), floats({-kNaN, 1})).empty());
  EXPECT_EQ(compare::differingElements(floats({0.0F, 1}), floats({-0.0F, 1})), (std::vector<int64_t>{0}));
  EXPECT_EQ(compare::differingElements(floats({kNaN}), floats({1})), (std::vector<int64_t>{0}));
  EXPECT_EQ(compare::differenceText(floats({1, 0.25F}).view({1, 2}), floats({1, 0.5F}).view({1, 2}), {1}),
            "[0, 1]: eager 0.25, compiled 0.5; 1 of 2 elements differ");
}

} // namespace
} // namespace touchstone::tests
