#include "backends/capture/ValueTemplate.h"

#include "backends/arguments/Containers.h"
#include "backends/capture/GraphBreak.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

using values::Value;
using values::ValueList;

Value listWith(ValueList items) {
  auto list = std::make_shared<values::ListObject>();
  list->items = std::move(items);
  return Value(Value::Payload(std::move(list)));
}

Value tupleWith(ValueList items, bool isSize = false) {
  auto tuple = std::make_shared<values::TupleObject>();
  tuple->items = std::move(items);
  tuple->isSize = isSize;
  return Value(Value::Payload(std::move(tuple)));
}

Value dictWith(const std::string& key, Value value) {
  auto dict = std::make_shared<values::DictObject>();
  dict->entries.emplace_back(key, std::move(value));
  return Value(Value::Payload(std::move(dict)));
}

Value numberOf(int64_t value) {
  return Value(Value::Payload(value));
}

/// Fake tensors that stand for the inputs and the outputs of a Graph, and real ones to fill in.
struct TemplateFixture {
  std::vector<at::Tensor> fakeInputs{at::ones({1}), at::ones({1})}, fakeOutputs{at::ones({1}), at::ones({1})};
  std::vector<at::Tensor> inputs{at::ones({2}), at::ones({2})}, outputs{at::ones({2}), at::ones({2})};

  capture::ValueTemplate::FindSource source() const {
    return [this](const at::Tensor& tensor) -> capture::ValueTemplate::TensorSource {
      for (size_t i = 0; i < fakeInputs.size(); ++i) {
        if (fakeInputs[i].is_same(tensor)) {
          return {true, i};
        }
        if (fakeOutputs[i].is_same(tensor)) {
          return {false, i};
        }
      }
      throw capture::GraphBreak("a tensor from elsewhere");
    };
  }
};

TEST(ValueTemplateTest, TensorsComeFromInputsAndOutputs) {
  const TemplateFixture fixture;
  capture::ValueTemplate plan({}, fixture.source());
  EXPECT_EQ(plan.add(tupleWith({fixture.fakeOutputs[1], fixture.fakeInputs[0], numberOf(3), Value()})), 0u);
  EXPECT_EQ(plan.add(fixture.fakeOutputs[0]), 1u);
  plan.finish();
  EXPECT_EQ(plan.inputs(), std::vector<size_t>{0});
  EXPECT_FALSE(plan.readsGiven());
  const ValueList values = plan.fill(fixture.inputs, fixture.outputs, {});
  const ValueList& items = *values.at(0).items();
  EXPECT_TRUE(items.at(0).tensor().is_same(fixture.outputs[1]));
  EXPECT_TRUE(items.at(1).tensor().is_same(fixture.inputs[0]));
  EXPECT_EQ(items.at(2).as<int64_t>(), 3);
  EXPECT_TRUE(items.at(3).isNone());
  EXPECT_TRUE(values.at(1).tensor().is_same(fixture.outputs[0]));
}

TEST(ValueTemplateTest, AnUndefinedOutputIsNone) {
  const TemplateFixture fixture;
  capture::ValueTemplate plan({}, fixture.source());
  plan.add(fixture.fakeOutputs[0]);
  plan.finish();
  EXPECT_TRUE(plan.fill(fixture.inputs, {at::Tensor()}, {}).at(0).isNone());
}

TEST(ValueTemplateTest, OneObjectBecomesOneObjectAndANewOneInEachCall) {
  const TemplateFixture fixture;
  const Value list = listWith({fixture.fakeOutputs[0]});
  capture::ValueTemplate plan({}, fixture.source());
  plan.add(tupleWith({list, dictWith("again", list)}));
  plan.finish();
  const ValueList first = plan.fill(fixture.inputs, fixture.outputs, {});
  const ValueList second = plan.fill(fixture.inputs, fixture.outputs, {});
  const auto listIn = [](const ValueList& values) { return values.at(0).items()->at(0).as<values::ListPtr>(); };
  const auto& dict = *first.at(0).items()->at(1).as<values::DictPtr>();
  EXPECT_EQ(dict.entries.at(0).first, "again");
  EXPECT_EQ(dict.entries.at(0).second.as<values::ListPtr>(), listIn(first));
  EXPECT_NE(listIn(first), listIn(second));
  EXPECT_NE(listIn(first), list.as<values::ListPtr>());
}

TEST(ValueTemplateTest, AListThatHoldsItselfIsPutTogether) {
  const TemplateFixture fixture;
  const Value list = listWith({});
  list.as<values::ListPtr>()->items.push_back(list);
  capture::ValueTemplate plan({}, fixture.source());
  plan.add(list);
  plan.finish();
  const ValueList values = plan.fill(fixture.inputs, fixture.outputs, {});
  const values::ListPtr made = values.at(0).as<values::ListPtr>();
  EXPECT_EQ(made->items.at(0).as<values::ListPtr>(), made);
  made->items.clear();
  list.as<values::ListPtr>()->items.clear();
}

TEST(ValueTemplateTest, WhatWasGivenIsGivenBack) {
  const TemplateFixture fixture;
  const Value list = listWith({fixture.fakeInputs[0]}), other = listWith({});
  capture::ValueTemplate plan({list, other}, fixture.source());
  plan.add(other);
  plan.finish();
  EXPECT_TRUE(plan.readsGiven());
  const Value given = listWith({fixture.inputs[0]}), givenOther = listWith({});
  const ValueList values = plan.fill(fixture.inputs, fixture.outputs, {given, givenOther});
  EXPECT_EQ(values.at(0).as<values::ListPtr>(), givenOther.as<values::ListPtr>());
  EXPECT_EQ(given.items()->size(), 1u);
}

TEST(ValueTemplateTest, OnlyWhatHasOtherContentsIsFilled) {
  const TemplateFixture fixture;
  const Value changed = listWith({fixture.fakeOutputs[0], numberOf(1)}),
              untouched = dictWith("a", fixture.fakeInputs[1]);
  capture::ValueTemplate plan({changed, untouched}, fixture.source());
  plan.addContentsOfGiven(0);
  plan.finish();
  EXPECT_TRUE(plan.readsGiven());
  EXPECT_TRUE(plan.inputs().empty());
  const Value given = listWith({}), dict = dictWith("other", numberOf(7));
  plan.fill(fixture.inputs, fixture.outputs, {given, dict});
  ASSERT_EQ(given.items()->size(), 2u);
  EXPECT_TRUE(given.items()->at(0).tensor().is_same(fixture.outputs[0]));
  EXPECT_EQ(dict.as<values::DictPtr>()->entries.at(0).first, "other");
}

TEST(ValueTemplateTest, SizesStaySizes) {
  const TemplateFixture fixture;
  capture::ValueTemplate plan({}, fixture.source());
  plan.add(tupleWith({numberOf(2), numberOf(3)}, true));
  plan.add(tupleWith({numberOf(2)}));
  plan.finish();
  const ValueList values = plan.fill(fixture.inputs, fixture.outputs, {});
  EXPECT_TRUE(values.at(0).as<values::TuplePtr>()->isSize);
  EXPECT_FALSE(values.at(1).as<values::TuplePtr>()->isSize);
}

TEST(ValueTemplateTest, WhatNobodyHasMadeIsRefused) {
  const TemplateFixture fixture;
  capture::ValueTemplate plan({}, fixture.source());
  EXPECT_THROW(plan.add(at::ones({1})), capture::GraphBreak);
}

TEST(ValueTemplateTest, ContentsAreComparedBesideACopy) {
  const at::Tensor x = at::ones({1});
  const Value inner = listWith({x}), other = listWith({x});
  const Value outer = listWith({inner});
  const ValueList values = {outer, other};
  const ValueList copies = arguments::mapTrees(values, [](const at::Tensor& tensor) { return tensor; });
  const std::vector<Value> left = arguments::containersIn(copies), right = arguments::containersIn(values);
  ASSERT_EQ(left.size(), 3u);
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_TRUE(arguments::sameContents(i, left, right)) << i;
  }
  outer.as<values::ListPtr>()->items[0] = other; // equal contents, and another object
  EXPECT_FALSE(arguments::sameContents(0, left, right));
  EXPECT_TRUE(arguments::sameContents(1, left, right));
  other.as<values::ListPtr>()->items.push_back(x);
  EXPECT_FALSE(arguments::sameContents(2, left, right));
  EXPECT_TRUE(arguments::sameContents(1, left, right));
}

} // namespace
} // namespace touchstone::tests
