#include "graph/runtime/Interpreter.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace touchstone::graph {
namespace {

Argument resultOf(NodeId id) {
  return Argument{NodeReference{id}};
}

Argument tupleOf(std::vector<Argument> items) {
  return Argument{Argument::Container{.kind = Argument::Container::Kind::kTuple, .items = std::move(items)}};
}

TEST(InterpreterTest, RunsOperatorsElementsAndEffectsInOrder) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  const NodeId doubled = graph.addOperator("aten::mul.Scalar", {resultOf(x), Argument{int64_t{2}}});
  graph.addOperator("aten::add_.Scalar", {resultOf(x), Argument{1.0}, Argument{int64_t{1}}});
  const NodeId parts =
      graph.addOperator("aten::chunk", {resultOf(doubled), Argument{int64_t{2}}, Argument{int64_t{0}}});
  const NodeId second = graph.addElement(parts, 1);
  graph.output = tupleOf({resultOf(x), resultOf(second), Argument{int64_t{7}}});
  Interpreter interpreter(graph);
  const at::Tensor input = at::ones({4});
  const Value result = interpreter.run({input});
  const ValueList& items = *result.items();
  EXPECT_EQ(items.at(0).tensor().unsafeGetTensorImpl(), input.unsafeGetTensorImpl()); // the caller's very object
  EXPECT_TRUE(at::equal(input, at::ones({4}).mul(2)));
  EXPECT_TRUE(at::equal(items.at(1).tensor(), at::ones({2}).mul(2))); // read before the write
  EXPECT_EQ(items.at(1).tensor().storage_offset(), 2);
  EXPECT_EQ(items.at(2).as<int64_t>(), 7);
}

TEST(InterpreterTest, AutogradIsOnUnlessTheNodeWasRecordedWithoutIt) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  const NodeId with = graph.addOperator("aten::sin", {resultOf(x)});
  const NodeId without = graph.addOperator("aten::sin", {resultOf(x)}, CallState{.gradEnabled = false});
  graph.output = tupleOf({resultOf(with), resultOf(without)});
  const Value result = Interpreter(graph).run({at::ones({2}).requires_grad_()});
  EXPECT_TRUE(result.items()->at(0).tensor().requires_grad());
  EXPECT_FALSE(result.items()->at(1).tensor().requires_grad());
}

TEST(InterpreterTest, AConstantThatARunWritesToIsFreshInTheNext) {
  Graph graph;
  const NodeId constant = graph.addConstant("table", tensorConstant(at::zeros({2})));
  graph.addOperator("aten::add_.Scalar", {resultOf(constant), Argument{1.0}, Argument{int64_t{1}}});
  graph.output = resultOf(constant);
  Interpreter interpreter(graph);
  EXPECT_TRUE(at::equal(interpreter.run({}).tensor(), at::ones({2})));
  EXPECT_TRUE(at::equal(interpreter.run({}).tensor(), at::ones({2})));
}

TEST(InterpreterTest, WhatCannotRunIsRefusedWhenItIsMade) {
  Graph unknown;
  unknown.addOperator("aten::no_such_operator", {});
  EXPECT_ANY_THROW(Interpreter{unknown});
  Graph tooFew;
  tooFew.addOperator("aten::sin", {});
  EXPECT_ANY_THROW(Interpreter{tooFew});
}

} // namespace
} // namespace touchstone::graph
