#include "backends/fake/CudnnBatchNorm.h"
#include "backends/fake/KernelRun.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <optional>

namespace touchstone::tests {
namespace {

TEST(CudnnBatchNormTest, MetaTensorsHaveTheSizesOfItsResults) {
  const auto meta = [](at::IntArrayRef sizes) { return at::empty(sizes, at::TensorOptions(at::kMeta)); };
  torch::jit::Stack stack{meta({2, 3, 4}), meta({3}), meta({3}), meta({3}), meta({3}), true, 0.1, 1e-5};
  fake::runKernel(fake::operatorOf("aten::cudnn_batch_norm"), &stack, fake::Backing::kMeta);
  ASSERT_EQ(stack.size(), 4u);
  EXPECT_EQ(stack[0].toTensor().sizes(), at::IntArrayRef({2, 3, 4}));
  EXPECT_EQ(stack[1].toTensor().sizes(), at::IntArrayRef({3}));
  EXPECT_EQ(stack[3].toTensor().scalar_type(), at::kByte) << "what cuDNN keeps for the backward";

  torch::jit::Stack backward{meta({2, 3, 4}), meta({2, 3, 4}), meta({3}), c10::IValue(), c10::IValue(),
                             meta({3}),       meta({3}),       1e-5,      meta({0})};
  fake::runKernel(fake::operatorOf("aten::cudnn_batch_norm_backward"), &backward, fake::Backing::kMeta);
  ASSERT_EQ(backward.size(), 3u);
  EXPECT_EQ(backward[0].toTensor().sizes(), at::IntArrayRef({2, 3, 4}));
  EXPECT_EQ(backward[2].toTensor().sizes(), at::IntArrayRef({3}));
}

TEST(CudnnBatchNormTest, ItWritesTheRunningStatisticsAlthoughItsSchemaDoesNotSaySo) {
  const fake::OperatorTraits& traits = fake::traitsOf(fake::operatorOf("aten::cudnn_batch_norm"));
  EXPECT_EQ(traits.writes, (std::vector<size_t>{3, 4}));
  EXPECT_TRUE(traits.hidesWrites);
  EXPECT_EQ(traits.functionalTarget, "touchstone::cudnn_batch_norm_functional");
}

TEST(CudnnBatchNormTest, TheFunctionalFormReturnsWhatWouldBeWritten) {
  const at::Tensor input = at::rand({2, 3, 4}), weight = at::ones({3}), bias = at::zeros({3});
  const at::Tensor mean = at::zeros({3}), variance = at::ones({3});
  torch::jit::Stack stack{input, weight, bias, mean, variance, true, 0.1, 1e-5};
  fake::traitsOf(fake::operatorOf("aten::cudnn_batch_norm")).functional->callBoxed(&stack);
  ASSERT_EQ(stack.size(), 6u);
  EXPECT_TRUE(mean.equal(at::zeros({3}))) << "nothing is written";
  const at::Tensor expected = std::get<0>(at::native_batch_norm(input, weight, bias, mean, variance, true, 0.1, 1e-5));
  EXPECT_TRUE(stack[0].toTensor().equal(expected));
  EXPECT_TRUE(stack[4].toTensor().equal(mean)) << "as it is written there";
  EXPECT_TRUE(stack[5].toTensor().equal(variance));
}

} // namespace
} // namespace touchstone::tests
