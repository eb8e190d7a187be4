#include "tests/backends/DecomposedCalls.h"

#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// Indexing, pooling, normalization, interpolation and products: where a plausible formula gives something else than eager.

namespace touchstone::tests {
namespace {

TEST(DecompositionsStructuralTest, PaddingIsNeverTheLargestElementOfAWindow) {
  const at::Tensor self = at::full({1, 1, 3, 3}, -std::numeric_limits<double>::infinity());
  const std::vector<int64_t> kernel = {2, 2}, stride = {2, 2}, padding = {1, 1}, dilation = {1, 1};
  const auto [values, indices] = at::max_pool2d_with_indices(self, kernel, stride, padding, dilation, false);
  const auto found = resultsByTable("aten::max_pool2d_with_indices", {self, kernel, stride, padding, dilation, false});
  EXPECT_TRUE(found[0].toTensor().equal(values));
  EXPECT_TRUE(found[1].toTensor().equal(indices));
}

TEST(DecompositionsStructuralTest, TheLastNanOfAWindowIsFound) {
  at::Tensor self = at::ones({1, 1, 2, 2});
  self.view({-1})[1].fill_(NAN);
  self.view({-1})[2].fill_(NAN);
  const std::vector<int64_t> kernel = {2, 2}, none = {}, padding = {0, 0}, dilation = {1, 1};
  const auto found = resultsByTable("aten::max_pool2d_with_indices", {self, kernel, none, padding, dilation, false});
  EXPECT_EQ(found[1].toTensor().item<int64_t>(), 2);
}

TEST(DecompositionsStructuralTest, MatricesThatBetaTakesOutMayHoldNan) {
  const at::Tensor self = at::full({1, 1}, NAN), row = at::randn({1, 4}), column = at::randn({4, 1});
  const auto found = resultsByTable("aten::addmm", {self, row, column, 0, 2});
  EXPECT_TRUE(agree(found[0].toTensor(), at::addmm(self, row, column, 0, 2)));
}

TEST(DecompositionsStructuralTest, ProductsOfOneTermKeepTheSignOfZeroAsKernelsDo) {
  const at::Tensor column = at::full({2, 1}, -1.0), row = at::zeros({1, 2});
  const at::Tensor each = resultsByTable("aten::mm", {column, row})[0].toTensor();
  EXPECT_TRUE(each.signbit().equal(at::mm(column, row).signbit()));
  const at::Tensor batch = resultsByTable("aten::bmm", {column.unsqueeze(0), row.unsqueeze(0)})[0].toTensor();
  EXPECT_TRUE(batch.signbit().equal(at::bmm(column.unsqueeze(0), row.unsqueeze(0)).signbit()));
}

TEST(DecompositionsStructuralTest, LargeMatricesStay) {
  torch::jit::Stack stack = {at::ones({20, 20}), at::ones({20, 20})};
  EXPECT_THROW(decompositions::allDecompositions()->call("aten::mm", stack), decompositions::NotDecomposed);
}

TEST(DecompositionsStructuralTest, StatisticsHaveTheDtypeOfParameters) {
  const at::Tensor input = at::randn({4, 3, 2}).to(at::kBFloat16), running = at::ones({3});
  const auto found = resultsByTable("aten::_native_batch_norm_legit_functional",
                                    {input, c10::IValue(), c10::IValue(), running, running, true, 0.1, 1e-5});
  EXPECT_EQ(found[0].toTensor().scalar_type(), at::kBFloat16);
  EXPECT_EQ(found[1].toTensor().scalar_type(), at::kFloat);
  const auto evaluated = resultsByTable("aten::native_batch_norm",
                                        {input, c10::IValue(), c10::IValue(), running, running, false, 0.1, 1e-5});
  EXPECT_EQ(evaluated[1].toTensor().numel(), 0);
}

TEST(DecompositionsStructuralTest, ABatchThatDoesNotVaryIsNormalizedAsKernelsRoundIt) {
  const at::Tensor input = at::full({4, 1, 2}, 0.7310586), none;
  const auto eager = at::native_batch_norm(input, none, none, none, none, true, 0.1, 1e-5);
  const auto found = resultsByTable(
      "aten::native_batch_norm", {input, c10::IValue(), c10::IValue(), c10::IValue(), c10::IValue(), true, 0.1, 1e-5});
  EXPECT_TRUE(found[0].toTensor().equal(std::get<0>(eager)));
}

TEST(DecompositionsStructuralTest, RowsOfOneNumberInLowPrecisionAreNotExactlyZero) {
  const at::Tensor input = at::full({1, 1}, -1.1298828125, at::kHalf), none;
  const std::vector<int64_t> shape = {1};
  const auto found = resultsByTable("aten::native_layer_norm", {input, shape, c10::IValue(), c10::IValue(), 1e-5});
  EXPECT_TRUE(found[0].toTensor().equal(std::get<0>(at::native_layer_norm(input, shape, none, none, 1e-5))));
}

TEST(DecompositionsStructuralTest, TwoDimensionsOfTheSameSizeAreNotResizedWhateverTheScale) {
  const at::Tensor self = at::randn({1, 2, 2, 2});
  const std::vector<int64_t> sizes = {2, 4};
  const auto found = resultsByTable("aten::upsample_nearest2d", {self, sizes, 1.4, 2.2});
  EXPECT_TRUE(found[0].toTensor().equal(at::upsample_nearest2d(self, sizes, 1.4, 2.2)));
}

TEST(DecompositionsStructuralTest, AQueryThatLooksAtNothingGetsZeros) {
  const at::Tensor query = at::randn({1, 2, 3, 4});
  at::Tensor mask = at::zeros({3, 3});
  mask[1].fill_(-std::numeric_limits<double>::infinity());
  const auto eager = at::_scaled_dot_product_flash_attention_for_cpu(query, query, query, 0, false, mask);
  const auto found = resultsByTable("aten::_scaled_dot_product_flash_attention_for_cpu",
                                    {query, query, query, 0.0, false, mask, c10::IValue()});
  EXPECT_TRUE(agree(found[0].toTensor(), std::get<0>(eager)));
  EXPECT_TRUE(agree(found[1].toTensor(), std::get<1>(eager)));
}

TEST(DecompositionsStructuralTest, AnImageReadAtNanIsNan) {
  const at::Tensor image = at::randn({1, 1, 3, 3}), grid = at::full({1, 1, 1, 2}, NAN);
  const auto found = resultsByTable("aten::grid_sampler_2d", {image, grid, 0, 0, false});
  EXPECT_TRUE(agree(found[0].toTensor(), at::grid_sampler_2d(image, grid, 0, 0, false)));
}

TEST(DecompositionsStructuralTest, IndicesBeforeTheFirstAndTakenFromNumbers) {
  const at::Tensor number = at::full({}, 3.0), index = at::zeros({1}, at::kLong);
  EXPECT_EQ(resultsByTable("aten::index_select", {number, 0, index})[0].toTensor().dim(), 0);
  const at::Tensor filled =
      resultsByTable("aten::index_fill.int_Scalar", {at::zeros({3}), 0, index.sub(1), 5})[0].toTensor();
  EXPECT_EQ(filled[2].item<float>(), 5);
}

} // namespace
} // namespace touchstone::tests
