#include "oracles/observe/EffectProbe.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <c10/core/InferenceMode.h>

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

using Role = observe::Location::Role;

observe::Location output(int index) {
  return {Role::kOutput, index};
}
observe::Location argument(int index) {
  return {Role::kArgument, index};
}

/// `output 0 -> arg 0, arg 1; …`
std::string text(const std::vector<observe::EffectObservation>& effects) {
  std::string all;
  for (const observe::EffectObservation& effect : effects) {
    all += (all.empty() ? "" : "; ") + effect.written.text() + " ->";
    for (const observe::Location& changed : effect.changed) {
      all += " " + changed.text();
    }
  }
  return all;
}

TEST(EffectProbeTest, TensorsOfTheirOwnHaveNoEffect) {
  EXPECT_EQ(text(observe::probeEffects({{output(0), at::ones({3})}, {argument(0), at::ones({3})}})), "");
  EXPECT_EQ(text(observe::probeEffects({})), "");
}

TEST(EffectProbeTest, ViewAndBaseChangeEachOther) {
  at::Tensor base = at::arange(6, at::kFloat).reshape({2, 3});
  EXPECT_EQ(text(observe::probeEffects({{output(0), base.t()}, {output(1), at::ones({2})}, {argument(0), base}})),
            "output 0 -> arg 0; arg 0 -> output 0");
}

TEST(EffectProbeTest, NeighboursInOneStorageDoNot) {
  at::Tensor base = at::zeros({8});
  EXPECT_EQ(text(observe::probeEffects({{output(0), base.slice(0, 0, 4)}, {output(1), base.slice(0, 4, 8)}})), "");
}

TEST(EffectProbeTest, InterleavedElementsAreToldFromOverlap) {
  at::Tensor base = at::zeros({8});
  at::Tensor even = base.slice(0, 0, 8, 2);
  at::Tensor odd = base.slice(0, 1, 8, 2);
  EXPECT_EQ(text(observe::probeEffects({{output(0), even}, {output(1), odd}})), "");
  EXPECT_EQ(text(observe::probeEffects({{output(0), even}, {output(1), odd}, {argument(0), base}})),
            "output 0 -> arg 0; output 1 -> arg 0; arg 0 -> output 0 output 1");
}

TEST(EffectProbeTest, WhatLiesElsewhereIsTriedInMemoryThatIsLaidOutAlike) {
  const at::Tensor base = at::zeros({8}, at::kMeta);
  const at::Tensor even = base.slice(0, 0, 8, 2), odd = base.slice(0, 1, 8, 2);
  EXPECT_EQ(text(observe::probeEffects({{output(0), even}, {output(1), odd}})), "");
  EXPECT_EQ(text(observe::probeEffects({{output(0), even}, {output(1), odd}, {argument(0), base}})),
            "output 0 -> arg 0; output 1 -> arg 0; arg 0 -> output 0 output 1");
  EXPECT_EQ(text(observe::probeEffects({{output(0), base.expand({3, 8})}, {argument(0), base.slice(0, 5)}})),
            "output 0 -> arg 0; arg 0 -> output 0");
  EXPECT_EQ(text(observe::probeEffects({{output(0), at::zeros({8}, at::kMeta)}, {argument(0), base}})), "");
}

TEST(EffectProbeTest, TheSameObjectTwiceIsLikeAnAlias) {
  at::Tensor tensor = at::ones({3});
  const std::string expected = "output 0 -> arg 0; arg 0 -> output 0";
  EXPECT_EQ(text(observe::probeEffects({{output(0), tensor}, {argument(0), tensor}})), expected);
  EXPECT_EQ(text(observe::probeEffects({{output(0), tensor.view({3})}, {argument(0), tensor}})), expected);
}

TEST(EffectProbeTest, AllDtypesAreWrittenWhateverTheirValues) {
  for (at::ScalarType dtype :
       {at::kBool, at::kByte, at::kLong, at::kHalf, at::kBFloat16, at::kDouble, at::kComplexFloat}) {
    for (int value : {0, 1}) {
      at::Tensor base = at::zeros({4}, dtype).fill_(value);
      EXPECT_EQ(text(observe::probeEffects({{output(0), base.slice(0, 3, 4)}, {argument(0), base}})),
                "output 0 -> arg 0; arg 0 -> output 0")
          << dtype << " " << value;
    }
  }
}

TEST(EffectProbeTest, ExpandedAndEmptyTensors) {
  at::Tensor base = at::ones({1, 3});
  EXPECT_EQ(text(observe::probeEffects({{output(0), base.expand({4, 3})}, {argument(0), base}})),
            "output 0 -> arg 0; arg 0 -> output 0");
  EXPECT_EQ(text(observe::probeEffects({{output(0), base.slice(1, 1, 1)}, {argument(0), base}})), "");
}

TEST(EffectProbeTest, ConjugatedViewsAndInferenceTensors) {
  at::Tensor complex = at::ones({3}, at::kComplexFloat);
  EXPECT_EQ(text(observe::probeEffects({{output(0), complex.conj().slice(0, 1, 3)}, {argument(0), complex}})),
            "output 0 -> arg 0; arg 0 -> output 0");
  c10::InferenceMode mode;
  at::Tensor base = at::ones({3});
  EXPECT_EQ(text(observe::probeEffects({{output(0), base.view({3, 1})}, {argument(0), base}})),
            "output 0 -> arg 0; arg 0 -> output 0");
}

TEST(EffectProbeTest, BytesAndVersionsAreAsBefore) {
  at::Tensor base = at::arange(10, at::kFloat);
  const auto version = base._version();
  at::Tensor view = base.as_strided({3, 2}, {3, 1}, 1);
  at::Tensor expanded = base.slice(0, 0, 1).expand({5});
  observe::probeEffects({{output(0), view}, {output(1), expanded}, {argument(0), base}});
  EXPECT_TRUE(base.equal(at::arange(10, at::kFloat)));
  EXPECT_EQ(base._version(), version);
}

} // namespace
} // namespace touchstone::tests
