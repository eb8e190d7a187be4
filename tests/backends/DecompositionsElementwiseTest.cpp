#include "tests/backends/DecomposedCalls.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <utility>

namespace touchstone::tests {
namespace {

at::Tensor decomposed(const std::string& target, torch::jit::Stack stack) {
  return resultsByTable(target, std::move(stack)).at(0).toTensor();
}

at::Tensor tensorOfValues(std::initializer_list<double> values, at::ScalarType dtype = at::kFloat) {
  return at::tensor(values, dtype);
}

TEST(DecompositionsElementwiseTest, ClampKeepsTheSignOfZeroAndSpreadsNan) {
  const at::Tensor zero = decomposed("aten::clamp_min", {tensorOfValues({-0.0}), 0});
  EXPECT_TRUE(std::signbit(zero.item<float>()));
  const at::Tensor unbounded = decomposed("aten::clamp", {tensorOfValues({1, NAN}), NAN, 2});
  EXPECT_TRUE(unbounded.isnan().all().item<bool>());
  EXPECT_EQ(decomposed("aten::clamp_min", {tensorOfValues({1, 2}, at::kLong), 1.5}).scalar_type(), at::kFloat);
}

TEST(DecompositionsElementwiseTest, ASearchAmongTestsPassesNan) {
  const at::Tensor elements = tensorOfValues({-INFINITY, 1, NAN, INFINITY});
  const at::Tensor tests =
      tensorOfValues({3, NAN, 1, NAN, -INFINITY, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, NAN, NAN, NAN});
  const at::Tensor found = decomposed("aten::isin.Tensor_Tensor", {elements, tests, false, false});
  EXPECT_TRUE(found.equal(at::tensor({1, 1, 0, 0}).to(at::kBool)));
}

TEST(DecompositionsElementwiseTest, AScalarIsAmongTestsOfItsOwnDtype) {
  EXPECT_FALSE(decomposed("aten::isin.Scalar_Tensor", {-0.3, tensorOfValues({-0.3}), false, false}).item<bool>());
  EXPECT_TRUE(
      decomposed("aten::isin.Scalar_Tensor", {-0.3, tensorOfValues({-0.3}, at::kDouble), false, false}).item<bool>());
}

TEST(DecompositionsElementwiseTest, XlogyIsZeroButForNan) {
  const at::Tensor product = decomposed("aten::xlogy.Scalar_Self", {0, tensorOfValues({0, NAN, INFINITY})});
  EXPECT_TRUE(agree(product, tensorOfValues({0, NAN, 0})));
}

TEST(DecompositionsElementwiseTest, DeviationsOfLargeNumbersAreFinite) {
  const at::Tensor self = tensorOfValues({1e30, -1e30});
  const at::Tensor deviation = decomposed("aten::std.correction", {self, c10::IValue(), 0, false});
  EXPECT_TRUE(agree(deviation, at::full({}, 1e30)));
}

TEST(DecompositionsElementwiseTest, NormsOfOneNumberDoNotSquareIt) {
  const at::Tensor norm =
      decomposed("aten::linalg_vector_norm", {tensorOfValues({1e30}), 2, c10::IValue(), false, c10::IValue()});
  EXPECT_TRUE(agree(norm, at::full({}, 1e30)));
}

TEST(DecompositionsElementwiseTest, ANormThatHasNoIdentityStays) {
  torch::jit::Stack stack = {at::empty({0}), INFINITY, c10::IValue(), false, c10::IValue()};
  EXPECT_THROW(decompositions::allDecompositions()->call("aten::linalg_vector_norm", stack),
               decompositions::NotDecomposed);
}

TEST(DecompositionsElementwiseTest, SmoothL1GradientOfNoDistanceAndNoBeta) {
  const at::Tensor zero = tensorOfValues({0});
  const at::Tensor grad = decomposed("aten::smooth_l1_loss_backward", {tensorOfValues({2}), zero, zero, 0, 0.0});
  EXPECT_TRUE(agree(grad, tensorOfValues({-2})));
}

TEST(DecompositionsElementwiseTest, LossesOfNoSamples) {
  torch::jit::Stack stack = {at::empty({0, 3}), at::empty({0}, at::kLong), c10::IValue(), 1, -100};
  decompositions::allDecompositions()->call("aten::nll_loss_forward", stack);
  EXPECT_TRUE(std::isnan(stack.at(0).toTensor().item<float>()));
  EXPECT_EQ(stack.at(1).toTensor().item<float>(), 0);
}

} // namespace
} // namespace touchstone::tests
