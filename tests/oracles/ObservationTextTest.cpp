#include "oracles/observe/ObservationText.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace touchstone::tests {
namespace {

std::string textOf(const at::Tensor& values, observe::ValuesText how) {
  observe::CallObservation call;
  observe::TensorObservation& output = call.outputs.emplace_back();
  output.dtype = values.scalar_type();
  output.values = values;
  for (const auto& [name, text] : observe::observationTexts(call, how)) {
    if (name == "output 0") {
      return text.substr(text.find("values "));
    }
  }
  return "";
}

TEST(ObservationTextTest, BitsAreThereInFullAndADigestHasTheFirstFew) {
  const at::Tensor values = at::tensor({1.0f, 2.0f, -0.5f, 3.0f, 9.0f});
  EXPECT_EQ(textOf(values, observe::ValuesText::kBits), "values 0000803f00000040000000bf0000404000001041");
  const std::string digest = textOf(values, observe::ValuesText::kDigest);
  EXPECT_NE(digest.find(" [1, 2, -0.5, 3, …]"), std::string::npos) << digest;
  at::Tensor other = values.clone();
  other[4] = std::nextafter(9.0f, 10.0f);
  EXPECT_NE(textOf(other, observe::ValuesText::kDigest), digest) << "beyond what is shown";
}

TEST(ObservationTextTest, EveryNaNIsTheSameAndZerosHaveASign) {
  const auto digestOf = [](float value) { return textOf(at::tensor({value}), observe::ValuesText::kDigest); };
  const float quiet = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(digestOf(quiet), digestOf(-quiet));
  EXPECT_NE(digestOf(0.0f), digestOf(-0.0f));
}

TEST(ObservationTextTest, EveryKindOfNumberHasADigest) {
  EXPECT_NE(textOf(at::arange(3), observe::ValuesText::kDigest).find("[0, 1, 2]"), std::string::npos);
  EXPECT_NE(textOf(at::arange(2).to(at::kBool), observe::ValuesText::kDigest).find("[0, 1]"), std::string::npos);
  EXPECT_NE(textOf(at::arange(2).to(at::kComplexFloat), observe::ValuesText::kDigest).find("[0+0j, 1+0j]"),
            std::string::npos);
  EXPECT_NE(textOf(at::arange(2).to(at::kBFloat16), observe::ValuesText::kDigest).find("[0, 1]"), std::string::npos);
  EXPECT_NE(textOf(at::arange(0), observe::ValuesText::kDigest).find("[]"), std::string::npos);
}

} // namespace
} // namespace touchstone::tests
