#include "backends/arguments/ValueTree.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace touchstone::backends {
namespace {

using graph::Value;
using graph::ValueList;

TEST(ValueTreeTest, WhatIsOneObjectIsOneInACopy) {
  const Value inner = Value::list({Value(at::ones({2}))});
  const ValueList values{Value::list({inner, inner}), inner};
  const ValueList copies = mapTrees(values, [](const at::Tensor& tensor) { return tensor; });
  const auto& outer = copies.at(0).as<graph::ListPtr>()->items;
  EXPECT_EQ(outer.at(0).as<graph::ListPtr>(), outer.at(1).as<graph::ListPtr>());
  EXPECT_EQ(outer.at(0).as<graph::ListPtr>(), copies.at(1).as<graph::ListPtr>());
  EXPECT_NE(outer.at(0).as<graph::ListPtr>(), inner.as<graph::ListPtr>());
  EXPECT_TRUE(sameTrees(values, copies));
  EXPECT_FALSE(sameTrees(values, {copies.at(0), Value::list({outer.at(0).as<graph::ListPtr>()->items.at(0)})}))
      << "equal, but not one object any more";
}

TEST(ValueTreeTest, AListMayHoldItself) {
  const Value list = Value::list({});
  list.as<graph::ListPtr>()->items.push_back(list);
  const ValueList copies = mapTrees({list}, [](const at::Tensor& tensor) { return tensor; });
  EXPECT_EQ(copies.at(0).as<graph::ListPtr>()->items.at(0).as<graph::ListPtr>(), copies.at(0).as<graph::ListPtr>());
  EXPECT_TRUE(sameTrees({list}, copies));
  copies.at(0).as<graph::ListPtr>()->items.clear(); // cycles of shared pointers are never freed
  list.as<graph::ListPtr>()->items.clear();
}

} // namespace
} // namespace touchstone::backends
