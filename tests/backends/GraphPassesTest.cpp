#include "backends/passes/CommonSubexpressions.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>

namespace touchstone::tests {
namespace {

using ir::Argument;
using ir::NodeId;

/// A Graph built node by node; every tensor is float32 of 2 by 3 in a storage of its own unless said otherwise.
struct PassGraph {
  ir::Graph graph;
  NodeId x = input("x");

  NodeId input(const char* name) { return described(graph.addPlaceholder(name)); }
  NodeId described(NodeId node, int storage = -1) {
    graph.node(node).metadata = {
        .sizes = {2, 3}, .strides = {3, 1}, .device = "cpu", .storage = storage < 0 ? node : storage};
    return node;
  }
  NodeId call(const char* target, std::vector<Argument> arguments, ir::CallState state = {}) {
    return described(graph.addOperator(target, std::move(arguments), std::move(state)));
  }
  NodeId view(const char* target, std::vector<Argument> arguments) {
    const int storage = graph.node(std::get<ir::NodeReference>(arguments[0].payload).node).metadata->storage;
    return described(graph.addOperator(target, std::move(arguments)), storage);
  }
  void returns(const std::vector<NodeId>& nodes) { graph.output = ir::nodeTuple(nodes); }

  size_t merge() { return countOfMerged(passes::mergeRepeated(graph, ir::outputNodes(graph))); }
  static size_t countOfMerged(const std::vector<NodeId>& into) {
    size_t count = 0;
    for (size_t i = 0; i < into.size(); ++i) {
      count += into[i] != static_cast<NodeId>(i) ? 1 : 0;
    }
    return count;
  }
  /// Nodes that run when what is not needed is gone.
  size_t operatorsLeft() const {
    const ir::Graph needed = ir::subgraph(graph, graph.placeholders(), ir::outputNodes(graph));
    return static_cast<size_t>(needed.operatorCount());
  }
  std::vector<at::Tensor> run() const {
    std::vector<at::Tensor> inputs;
    for (size_t i = 0; i < graph.placeholders().size(); ++i) {
      inputs.push_back(at::arange(6, at::kFloat).sub(2).mul(static_cast<double>(i) + 1).view({2, 3}));
    }
    return runtime::Interpreter(graph).runFlat(std::move(inputs));
  }
};

Argument node(NodeId id) {
  return ir::nodeArgument(id);
}

void expectSameTensors(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(at::equal(found[i], expected[i])) << i;
  }
}

} // namespace

TEST(GraphPassesTest, RepeatedExpressionsAreComputedOnce) {
  PassGraph made;
  const NodeId one = made.call("aten::sin", {node(made.x)}), two = made.call("aten::sin", {node(made.x)});
  const NodeId left = made.call("aten::exp", {node(one)}), right = made.call("aten::exp", {node(two)});
  made.returns({made.call("aten::mul.Tensor", {node(left), node(right)})});
  const std::vector<at::Tensor> expected = made.run();
  EXPECT_EQ(made.operatorsLeft(), 5U);
  EXPECT_EQ(made.merge(), 2U);
  EXPECT_EQ(made.operatorsLeft(), 3U);
  expectSameTensors(made.run(), expected);
}

TEST(GraphPassesTest, NumbersOfAnotherTypeOrSignAreAnotherExpression) {
  const std::vector<Argument> factors{Argument{1.0}, Argument{int64_t{1}}, Argument{true}, Argument{0.0},
                                      Argument{-0.0}};
  PassGraph made;
  std::vector<NodeId> sums;
  for (const Argument& factor : factors) {
    sums.push_back(made.call("aten::neg", {node(made.call("aten::mul.Scalar", {node(made.x), factor}))}));
  }
  made.returns({made.call("aten::stack", {ir::nodeTuple(sums), Argument{int64_t{0}}})});
  EXPECT_EQ(made.merge(), 0U);
}

TEST(GraphPassesTest, WhatIsReturnedStaysATensorOfItsOwn) {
  PassGraph made;
  const NodeId one = made.call("aten::sin", {node(made.x)}), two = made.call("aten::sin", {node(made.x)});
  made.returns({one, two});
  EXPECT_EQ(made.merge(), 0U);

  PassGraph viewed; // the second is returned through a view
  const NodeId first = viewed.call("aten::sin", {node(viewed.x)}), second = viewed.call("aten::sin", {node(viewed.x)});
  viewed.returns({viewed.call("aten::exp", {node(first)}), viewed.view("aten::alias", {node(second)})});
  EXPECT_EQ(viewed.merge(), 0U);
}

TEST(GraphPassesTest, DrawsAndFreshMemoryAreNotMerged) {
  PassGraph made;
  std::vector<NodeId> all;
  for (int time = 0; time < 2; ++time) {
    all.push_back(made.call("aten::exp", {node(made.call("aten::bernoulli", {node(made.x), Argument{}}))}));
    all.push_back(made.call("aten::exp", {node(made.call("aten::empty_like", {node(made.x)}))}));
  }
  made.returns({made.call("aten::stack", {ir::nodeTuple(all), Argument{int64_t{0}}})});
  EXPECT_EQ(made.merge(), 0U);
}

TEST(GraphPassesTest, AWriteBetweenThemKeepsExpressionsApart) {
  for (const bool writes : {false, true}) {
    PassGraph made;
    const NodeId before = made.call("aten::sin", {node(made.x)});
    if (writes) {
      made.call("aten::add_.Scalar", {node(made.x), Argument{int64_t{1}}, Argument{int64_t{1}}});
    }
    const NodeId after = made.call("aten::sin", {node(made.x)});
    made.call("aten::sin", {node(made.x)}); // the same as the one before it, written or not
    made.returns({made.call("aten::sub.Tensor", {node(before), node(after), Argument{int64_t{1}}})});
    const std::vector<at::Tensor> expected = made.run();
    EXPECT_EQ(made.merge(), writes ? 1U : 2U);
    expectSameTensors(made.run(), expected);
  }
}

TEST(GraphPassesTest, WhatIsWrittenToLaterIsNotMerged) {
  PassGraph made;
  const NodeId one = made.call("aten::sin", {node(made.x)}), two = made.call("aten::sin", {node(made.x)});
  const NodeId view = made.view("aten::alias", {node(one)});
  made.call("aten::add_.Scalar", {node(view), Argument{int64_t{1}}, Argument{int64_t{1}}});
  made.returns({made.call("aten::neg", {node(two)})});
  const std::vector<at::Tensor> expected = made.run();
  EXPECT_EQ(made.merge(), 0U);
  expectSameTensors(made.run(), expected);
}

TEST(GraphPassesTest, EqualNumbersAreOneButEqualTensorsAreNot) {
  for (const bool isNumber : {false, true}) {
    PassGraph made;
    std::vector<NodeId> products;
    for (int time = 0; time < 2; ++time) {
      at::Tensor two = at::scalar_tensor(2, at::kDouble);
      two.unsafeGetTensorImpl()->set_wrapped_number(isNumber);
      const NodeId constant = made.graph.addConstant("two", runtime::tensorConstant(two));
      products.push_back(made.call("aten::neg", {node(made.call("aten::mul.Tensor", {node(made.x), node(constant)}))}));
    }
    made.returns({made.call("aten::mul.Tensor", {node(products[0]), node(products[1])})});
    EXPECT_EQ(made.merge(), isNumber ? 3U : 0U); // the constant, the product, the negation
  }
}

TEST(GraphPassesTest, AnotherGradModeOrAutocastIsAnotherExpression) {
  PassGraph made;
  const std::vector<NodeId> all{made.call("aten::sin", {node(made.x)}),
                                made.call("aten::sin", {node(made.x)}, {.gradEnabled = false}),
                                made.call("aten::sin", {node(made.x)}, {.inference = true}),
                                made.call("aten::sin", {node(made.x)}, {.autocast = "bfloat16"})};
  made.returns({made.call("aten::stack", {ir::nodeTuple(all), Argument{int64_t{0}}})});
  EXPECT_EQ(made.merge(), 0U);
}

TEST(GraphPassesTest, MergingAsksTheGate) {
  PassGraph made;
  const NodeId one = made.call("aten::sin", {node(made.x)}), two = made.call("aten::sin", {node(made.x)});
  made.returns({made.call("aten::mul.Tensor", {node(one), node(two)})});
  ir::PassGate none("cse", 0);
  EXPECT_EQ(PassGraph::countOfMerged(passes::mergeRepeated(made.graph, ir::outputNodes(made.graph), &none)), 0U);
  EXPECT_EQ(none.counts(), (std::vector<std::pair<std::string, int64_t>>{{"cse", 1}}));
}

} // namespace touchstone::tests
