#include "graph/runtime/Interpreter.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

ir::Argument resultOf(ir::NodeId id) {
  return ir::Argument{ir::NodeReference{id}};
}

ir::Argument tupleOf(std::vector<ir::Argument> items) {
  return ir::Argument{
      ir::Argument::Container{.kind = ir::Argument::Container::Kind::kTuple, .items = std::move(items)}};
}

TEST(InterpreterTest, RunsOperatorsElementsAndEffectsInOrder) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId doubled = graph.addOperator("aten::mul.Scalar", {resultOf(x), ir::Argument{int64_t{2}}});
  graph.addOperator("aten::add_.Scalar", {resultOf(x), ir::Argument{1.0}, ir::Argument{int64_t{1}}});
  const ir::NodeId parts =
      graph.addOperator("aten::chunk", {resultOf(doubled), ir::Argument{int64_t{2}}, ir::Argument{int64_t{0}}});
  const ir::NodeId second = graph.addElement(parts, 1);
  graph.output = tupleOf({resultOf(x), resultOf(second), ir::Argument{int64_t{7}}});
  runtime::Interpreter interpreter(graph);
  const at::Tensor input = at::ones({4});
  const values::Value result = interpreter.run({input});
  const values::ValueList& items = *result.items();
  EXPECT_EQ(items.at(0).tensor().unsafeGetTensorImpl(), input.unsafeGetTensorImpl()); // the caller's very object
  EXPECT_TRUE(at::equal(input, at::ones({4}).mul(2)));
  EXPECT_TRUE(at::equal(items.at(1).tensor(), at::ones({2}).mul(2))); // read before the write
  EXPECT_EQ(items.at(1).tensor().storage_offset(), 2);
  EXPECT_EQ(items.at(2).as<int64_t>(), 7);
}

TEST(InterpreterTest, AutogradIsOnUnlessTheNodeWasRecordedWithoutIt) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId with = graph.addOperator("aten::sin", {resultOf(x)});
  const ir::NodeId without = graph.addOperator("aten::sin", {resultOf(x)}, ir::CallState{.gradEnabled = false});
  graph.output = tupleOf({resultOf(with), resultOf(without)});
  const values::Value result = runtime::Interpreter(graph).run({at::ones({2}).requires_grad_()});
  EXPECT_TRUE(result.items()->at(0).tensor().requires_grad());
  EXPECT_FALSE(result.items()->at(1).tensor().requires_grad());
}

TEST(InterpreterTest, AConstantThatARunWritesToIsFreshInTheNext) {
  ir::Graph graph;
  const ir::NodeId constant = graph.addConstant("table", runtime::tensorConstant(at::zeros({2})));
  graph.addOperator("aten::add_.Scalar", {resultOf(constant), ir::Argument{1.0}, ir::Argument{int64_t{1}}});
  graph.output = resultOf(constant);
  runtime::Interpreter interpreter(graph);
  EXPECT_TRUE(at::equal(interpreter.run({}).tensor(), at::ones({2})));
  EXPECT_TRUE(at::equal(interpreter.run({}).tensor(), at::ones({2})));
}

TEST(InterpreterTest, WhatCannotRunIsRefusedWhenItIsMade) {
  ir::Graph unknown;
  unknown.addOperator("aten::no_such_operator", {});
  EXPECT_ANY_THROW(runtime::Interpreter{unknown});
  ir::Graph tooFew;
  tooFew.addOperator("aten::sin", {});
  EXPECT_ANY_THROW(runtime::Interpreter{tooFew});
}

} // namespace
} // namespace touchstone::tests
