#include "oracles/evidence/Precision.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace touchstone::tests {
namespace {

TEST(PrecisionTest, EachElementMovesToANeighbour) {
  at::Tensor values = at::arange(-100, 100, at::kFloat).div(7);
  at::Tensor perturbed = evidence::perturbedByUlp(values, 3);
  int up = 0;
  for (int64_t i = 0; i < values.numel(); ++i) {
    const float before = values.const_data_ptr<float>()[i];
    const float after = perturbed.const_data_ptr<float>()[i];
    if (before == 0) {
      EXPECT_EQ(after, 0);
      continue;
    }
    EXPECT_TRUE(after == std::nextafter(before, INFINITY) || after == std::nextafter(before, -INFINITY)) << before;
    up += after > before;
  }
  EXPECT_GT(up, 60);
  EXPECT_LT(up, 140);
}

TEST(PrecisionTest, PatternsAreReproducibleAndDiffer) {
  at::Tensor values = at::ones({100});
  EXPECT_TRUE(evidence::perturbedByUlp(values, 3).equal(evidence::perturbedByUlp(values, 3)));
  EXPECT_FALSE(evidence::perturbedByUlp(values, 3).equal(evidence::perturbedByUlp(values, 4)));
  evaluator::DataHook first = evidence::perturbDataByUlp(5);
  evaluator::DataHook copy = first;
  evaluator::DataHook again = evidence::perturbDataByUlp(5);
  at::Tensor one = first(values);
  at::Tensor two = copy(values);
  EXPECT_FALSE(one.equal(two)) << "each tensor has its own pattern, also across copies of the hook";
  EXPECT_TRUE(again(values).equal(one));
  EXPECT_TRUE(again(values).equal(two));
}

TEST(PrecisionTest, SpecialValuesAndOtherDtypesStay) {
  const float inf = std::numeric_limits<float>::infinity();
  at::Tensor special = at::tensor({0.0f, -0.0f, inf, -inf});
  EXPECT_TRUE(evidence::perturbedByUlp(special, 1).equal(special));
  at::Tensor huge = at::ones({64}).fill_(std::numeric_limits<float>::max());
  EXPECT_TRUE(evidence::perturbedByUlp(huge, 1).isfinite().all().item<bool>());
  at::Tensor integers = at::arange(9);
  EXPECT_TRUE(evidence::perturbedByUlp(integers, 1).equal(integers));
}

TEST(PrecisionTest, SignsOfNansAndZerosMoveWhereThatIsAskedFor) {
  const at::Tensor nans = at::ones({64}).mul(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor zeros = at::zeros({64});
  const auto negative = [](const at::Tensor& tensor) { return tensor.signbit().sum().item<int64_t>(); };
  EXPECT_EQ(negative(evidence::perturbedByUlp(nans, 1)), negative(nans));
  for (const evidence::Perturbed what : {evidence::Perturbed::kSigns, evidence::Perturbed::kAll}) {
    EXPECT_TRUE(evidence::perturbedByUlp(nans, 1, what).isnan().all().item<bool>());
    EXPECT_GT(negative(evidence::perturbedByUlp(nans, 1, what)), 16);
    EXPECT_LT(negative(evidence::perturbedByUlp(nans, 1, what)), 48);
  }
  EXPECT_TRUE(evidence::perturbedByUlp(zeros, 1, evidence::Perturbed::kSigns).equal(zeros));
  EXPECT_GT(negative(evidence::perturbedByUlp(zeros, 1, evidence::Perturbed::kSigns)), 16);
  EXPECT_LT(negative(evidence::perturbedByUlp(zeros, 1, evidence::Perturbed::kSigns)), 48);
  const at::Tensor perturbed = evidence::perturbedByUlp(zeros, 1, evidence::Perturbed::kAll);
  EXPECT_TRUE(perturbed.abs().equal(at::ones({64}).mul(std::numeric_limits<float>::denorm_min())));
  EXPECT_GT(negative(perturbed), 16);
  EXPECT_LT(negative(perturbed), 48);
}

TEST(PrecisionTest, HalfBfloatDoubleAndComplexMove) {
  for (at::ScalarType dtype : {at::kHalf, at::kBFloat16, at::kDouble, at::kComplexFloat}) {
    at::Tensor values = at::ones({4}, dtype);
    at::Tensor perturbed = evidence::perturbedByUlp(values, 1);
    EXPECT_EQ(perturbed.scalar_type(), dtype);
    EXPECT_FALSE(perturbed.equal(values)) << dtype;
  }
  at::Tensor perturbed = evidence::perturbedByUlp(at::ones({1}, at::kHalf), 1);
  EXPECT_NEAR(perturbed.item<float>(), 1.0, 0.001);
}

} // namespace
} // namespace touchstone::tests
