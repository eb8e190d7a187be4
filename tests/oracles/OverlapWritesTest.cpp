#include "oracles/taint/OverlapWrites.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

/// Runs `aten::NAME` through the tracker.
at::Tensor run(taint::OverlapWrites& writes, const char* name, const char* overload, torch::jit::Stack stack) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
  writes(op, stack);
  return stack.at(0).toTensor();
}

TEST(OverlapWritesTest, OnlyRepetitionOverlaps) {
  at::Tensor base = at::zeros({24});
  EXPECT_FALSE(taint::overlapsItself(base));
  EXPECT_FALSE(taint::overlapsItself(base.view({2, 3, 4}).permute({2, 0, 1})));
  EXPECT_FALSE(taint::overlapsItself(base.as_strided({2, 3}, {4, 1}, 5)));
  EXPECT_FALSE(taint::overlapsItself(base.as_strided({1, 4}, {0, 1}))) << "stride 0 in a dimension of size 1";
  EXPECT_FALSE(taint::overlapsItself(base.as_strided({0, 4}, {0, 1})));
  EXPECT_FALSE(taint::overlapsItself(base.as_strided({2, 3}, {3, 2})))
      << "offsets 0 2 4 3 5 7: interleaved, all different";
  EXPECT_TRUE(taint::overlapsItself(base.as_strided({2, 4}, {0, 1})));
  EXPECT_TRUE(taint::overlapsItself(base.as_strided({2, 3}, {1, 1})));
  EXPECT_TRUE(taint::overlapsItself(base.as_strided({3, 3}, {4, 2})));
  EXPECT_TRUE(taint::overlapsItself(base.unfold(0, 4, 2)));
  EXPECT_FALSE(taint::overlapsItself(base.unfold(0, 4, 4)));
}

TEST(OverlapWritesTest, AProductWrittenOverItsOwnOperandReadsItself) {
  const at::Scalar one(1);
  at::Tensor square = at::ones({2, 2}), other = at::ones({2, 2});
  taint::OverlapWrites writes;
  run(writes, "aten::addmm_", "", {square, other, other, one, one});
  EXPECT_TRUE(writes.writes());
  EXPECT_FALSE(writes.seen());
  run(writes, "aten::mul_", "Tensor", {square, square});
  EXPECT_FALSE(writes.seen()) << "element by element";
  run(writes, "aten::addmm_", "", {square, square, other, one, one});
  EXPECT_TRUE(writes.readsItself());
}

TEST(OverlapWritesTest, OnlySuchAWriteThatRaisesHasRaisedMidway) {
  taint::OverlapWrites writes;
  at::Tensor base = at::zeros({6});
  run(writes, "aten::fill_", "Scalar", {base.view({1, 6}).expand({3, 6}), at::Scalar(1)});
  EXPECT_TRUE(writes.seen());
  EXPECT_THROW(run(writes, "aten::mm", "", {base, base}), std::exception);
  EXPECT_FALSE(writes.raisedMidway()) << "another operator raised";
  EXPECT_THROW(run(writes, "aten::copy_", "", {base.slice(0, 0, 5), base.slice(0, 1, 6), false}), std::exception);
  EXPECT_TRUE(writes.raisedMidway());
}

TEST(OverlapWritesTest, WriteThroughExpandedTensorIsSeen) {
  taint::OverlapWrites writes;
  at::Tensor expanded = at::zeros({1, 4}).expand({3, 4});
  run(writes, "aten::mul", "Tensor", {expanded, expanded});
  EXPECT_FALSE(writes.seen()) << "reading is legal";
  run(writes, "aten::fill_", "Scalar", {expanded, at::Scalar(1)});
  EXPECT_TRUE(writes.seen());
  writes.clear();
  EXPECT_FALSE(writes.seen());
}

TEST(OverlapWritesTest, WriteThroughViewOfExpandedTensorIsSeen) {
  taint::OverlapWrites writes;
  at::Tensor base = at::zeros({1, 4});
  at::Tensor expanded = run(writes, "aten::expand", "", {base, std::vector<int64_t>{3, 4}, false});
  at::Tensor row = run(writes, "aten::select", "int", {expanded, 0, 0});
  at::Tensor part = run(writes, "aten::slice", "Tensor", {row, 0, 0, 2, 1});
  EXPECT_FALSE(taint::overlapsItself(part));
  run(writes, "aten::add_", "Tensor", {base, base, 1});
  EXPECT_FALSE(writes.seen()) << "the tensor that was expanded does not overlap itself";
  at::Tensor sum = run(writes, "aten::add", "Tensor", {part, part, 1});
  run(writes, "aten::add_", "Tensor", {sum, sum, 1});
  EXPECT_FALSE(writes.seen()) << "a result is no view";
  run(writes, "aten::add_", "Tensor", {part, part, 1});
  EXPECT_TRUE(writes.seen());
}

TEST(OverlapWritesTest, MetadataIsNotWrittenButRemembersWhatItIsAViewOf) {
  taint::OverlapWrites writes;
  at::Tensor base = at::zeros({4});
  at::Tensor expanded = run(writes, "aten::expand", "", {base, std::vector<int64_t>{4, 4}, false});
  run(writes, "aten::t_", "", {expanded});
  at::Tensor other = at::zeros({2});
  run(writes, "aten::set_", "source_Tensor", {other, expanded});
  run(writes, "aten::as_strided_", "", {other, std::vector<int64_t>{4}, std::vector<int64_t>{1}, 0});
  run(writes, "aten::as_strided_", "", {base, std::vector<int64_t>{2}, std::vector<int64_t>{1}, 2});
  run(writes, "aten::set_", "source_Tensor", {base, base.slice(0, 1)});
  EXPECT_FALSE(writes.seen());
  run(writes, "aten::fill_", "Scalar", {base, at::Scalar(1)});
  EXPECT_FALSE(writes.seen());
  run(writes, "aten::fill_", "Scalar", {other, at::Scalar(1)});
  EXPECT_TRUE(writes.seen()) << "a view of the expanded tensor";
}

TEST(OverlapWritesTest, ANumberIsReadBeforeTheWrite) {
  taint::OverlapWrites writes;
  at::Tensor tensor = at::zeros({4});
  run(writes, "aten::fill_", "Tensor", {tensor, tensor.select(0, 1)});
  run(writes, "aten::masked_fill_", "Tensor", {tensor, tensor.to(at::kBool), tensor.select(0, 1)});
  EXPECT_FALSE(writes.readsItself());
  const auto multiplies = c10::Dispatcher::singleton().findSchemaOrThrow("aten::mul_", "Tensor");
  writes.before(multiplies, {tensor, tensor.select(0, 1)}); // it would raise, or give one thing or another
  EXPECT_TRUE(writes.readsItself());
}

TEST(OverlapWritesTest, OutArgumentsAndListsAreWritten) {
  taint::OverlapWrites writes;
  at::Tensor plain = at::zeros({3, 4});
  at::Tensor overlapping = at::zeros({4}).as_strided({2, 3}, {1, 1});
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::_foreach_zero_", "");
  torch::jit::Stack stack{c10::List<at::Tensor>({plain, plain})};
  writes.before(op, stack);
  EXPECT_FALSE(writes.seen());
  stack = {c10::List<at::Tensor>({plain, overlapping})};
  writes.before(op, stack);
  EXPECT_TRUE(writes.seen());
}

} // namespace
} // namespace touchstone::tests
