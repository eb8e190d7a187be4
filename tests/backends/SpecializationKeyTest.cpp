#include "backends/arguments/SpecializationKey.h"

#include "backends/arguments/ValueTree.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include <gtest/gtest.h>

#include <set>

// Whatever compiled code may have relied on is part of the key.

namespace touchstone::backends {
namespace {

using graph::Value;
using graph::ValueList;

TEST(SpecializationKeyTest, EachPropertyOfATensorCounts) {
  const at::Tensor plain = at::ones({4, 4});
  const at::Tensor complex = at::ones({4, 4}, at::kComplexFloat);
  const std::vector<at::Tensor> tensors = {
      plain,
      plain.t(),
      plain.narrow(0, 0, 2),
      plain.narrow(0, 2, 2),
      at::ones({4, 4}).requires_grad_(),
      at::ones({4, 4}).requires_grad_() * 1,
      at::ones({4, 4}, at::kDouble),
      complex,
      complex.conj(),
      at::imag(complex),
      at::imag(complex.conj()), // negated lazily
  };
  std::set<std::string> keys;
  for (const at::Tensor& tensor : tensors) {
    keys.insert(specializationKey({Value(tensor)}));
  }
  EXPECT_EQ(keys.size(), tensors.size());
  EXPECT_EQ(specializationKey({Value(plain)}), specializationKey({Value(at::ones({4, 4}) + 1)})) << "values do not";
}

TEST(SpecializationKeyTest, WhatIsOneObjectCounts) {
  const at::Tensor x = at::ones({2}), y = at::ones({2});
  EXPECT_NE(specializationKey({Value(x), Value(x)}), specializationKey({Value(x), Value(y)}));
  EXPECT_NE(specializationKey({Value(x), Value(x.detach())}), specializationKey({Value(x), Value(y)}));
  const Value list = Value::list({Value(x)}), equal = Value::list({Value(x)});
  EXPECT_NE(specializationKey({list, list}), specializationKey({list, equal}));
  EXPECT_EQ(specializationKey({list, equal}), specializationKey({equal, list}));
}

TEST(SpecializationKeyTest, ModesCount) {
  const ValueList arguments{Value(at::ones({2}))};
  const std::string key = specializationKey(arguments);
  {
    const c10::AutoGradMode off(false);
    EXPECT_NE(specializationKey(arguments), key);
  }
  const caffe2::TypeMeta dtype = c10::get_default_dtype();
  c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
  EXPECT_NE(specializationKey(arguments), key);
  c10::set_default_dtype(dtype);
  EXPECT_EQ(specializationKey(arguments), key);
}

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
