#include "backends/arguments/ValueTree.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

using values::Value;
using values::ValueList;

TEST(ValueTreeTest, WhatIsOneObjectIsOneInACopy) {
  const Value inner = Value::list({Value(at::ones({2}))});
  const ValueList values{Value::list({inner, inner}), inner};
  const ValueList copies = arguments::mapTrees(values, [](const at::Tensor& tensor) { return tensor; });
  const auto& outer = copies.at(0).as<values::ListPtr>()->items;
  EXPECT_EQ(outer.at(0).as<values::ListPtr>(), outer.at(1).as<values::ListPtr>());
  EXPECT_EQ(outer.at(0).as<values::ListPtr>(), copies.at(1).as<values::ListPtr>());
  EXPECT_NE(outer.at(0).as<values::ListPtr>(), inner.as<values::ListPtr>());
  EXPECT_TRUE(arguments::sameTrees(values, copies));
  EXPECT_FALSE(
      arguments::sameTrees(values, {copies.at(0), Value::list({outer.at(0).as<values::ListPtr>()->items.at(0)})}))
      << "equal, but not one object any more";
}

TEST(ValueTreeTest, AListMayHoldItself) {
  const Value list = Value::list({});
  list.as<values::ListPtr>()->items.push_back(list);
  const ValueList copies = arguments::mapTrees({list}, [](const at::Tensor& tensor) { return tensor; });
  EXPECT_EQ(copies.at(0).as<values::ListPtr>()->items.at(0).as<values::ListPtr>(), copies.at(0).as<values::ListPtr>());
  EXPECT_TRUE(arguments::sameTrees({list}, copies));
  copies.at(0).as<values::ListPtr>()->items.clear(); // cycles of shared pointers are never freed
  list.as<values::ListPtr>()->items.clear();
}

} // namespace
} // namespace touchstone::tests
