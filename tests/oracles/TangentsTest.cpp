#include "oracles/observe/Tangents.h"

#include "program/values/Data.h"

#include <ATen/ops/ones.h>

#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

using language::TangentLayout;

at::Tensor tangent(const at::Tensor& root, TangentLayout layout) {
  return observe::makeTangent(root, layout, 11, 2, {});
}

TEST(TangentsTest, ValuesComeFromSeedAndRootInEveryLayout) {
  const at::Tensor root = at::ones({3, 4}, at::kDouble);
  const at::Tensor values = values::data({3, 4}, at::kDouble, 11, values::kTangentNumber + 2, "grid");
  for (TangentLayout layout :
       {TangentLayout::kLike, TangentLayout::kContiguous, TangentLayout::kTransposed, TangentLayout::kGapped}) {
    EXPECT_TRUE(tangent(root, layout).equal(values)) << language::tangentLayoutName(layout);
  }
  EXPECT_TRUE(tangent(root, TangentLayout::kExpanded).equal(values.narrow(0, 0, 1).expand({3, 4})));
  EXPECT_FALSE(observe::makeTangent(root, TangentLayout::kLike, 11, 3, {}).equal(values));
  EXPECT_FALSE(observe::makeTangent(root, TangentLayout::kLike, 12, 2, {}).equal(values));
}

TEST(TangentsTest, LayoutsHaveTheirStrides) {
  const at::Tensor root = at::ones({4, 3}).t();
  EXPECT_EQ(tangent(root, TangentLayout::kLike).strides(), at::IntArrayRef({1, 3}));
  EXPECT_EQ(tangent(root, TangentLayout::kContiguous).strides(), at::IntArrayRef({4, 1}));
  EXPECT_EQ(tangent(root, TangentLayout::kTransposed).strides(), at::IntArrayRef({1, 3}));
  EXPECT_EQ(tangent(root, TangentLayout::kExpanded).strides(), at::IntArrayRef({0, 1}));
  EXPECT_EQ(tangent(root, TangentLayout::kGapped).strides(), at::IntArrayRef({8, 2}));
  EXPECT_FALSE(tangent(root, TangentLayout::kNone).defined());
}

TEST(TangentsTest, ScalarsAndEmptyTensorsHaveOne) {
  for (TangentLayout layout : {TangentLayout::kLike, TangentLayout::kContiguous, TangentLayout::kTransposed,
                               TangentLayout::kExpanded, TangentLayout::kGapped}) {
    EXPECT_EQ(tangent(at::ones({}), layout).dim(), 0);
    EXPECT_EQ(tangent(at::ones({0, 2}), layout).sizes(), at::IntArrayRef({0, 2}));
  }
}

} // namespace
} // namespace touchstone::tests
