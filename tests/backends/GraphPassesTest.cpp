#include "backends/passes/CommonSubexpressions.h"
#include "backends/passes/DeadCode.h"
#include "backends/passes/NoOps.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"
#include "graph/program/Interpreter.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>

namespace touchstone::backends {
namespace {

using graph::Argument;
using graph::NodeId;

/// A Graph built node by node; every tensor is float32 of 2 by 3 in a storage of its own unless said otherwise.
struct PassGraph {
  graph::Graph graph;
  NodeId x = input("x");

  NodeId input(const char* name) { return described(graph.addPlaceholder(name)); }
  NodeId described(NodeId node, int storage = -1) {
    graph.node(node).metadata = {
        .sizes = {2, 3}, .strides = {3, 1}, .device = "cpu", .storage = storage < 0 ? node : storage};
    return node;
  }
  NodeId call(const char* target, std::vector<Argument> arguments, graph::CallState state = {}) {
    return described(graph.addOperator(target, std::move(arguments), std::move(state)));
  }
  NodeId view(const char* target, std::vector<Argument> arguments) {
    const int storage = graph.node(std::get<graph::NodeReference>(arguments[0].payload).node).metadata->storage;
    return described(graph.addOperator(target, std::move(arguments)), storage);
  }
  void returns(const std::vector<NodeId>& nodes) { graph.output = graph::nodeTuple(nodes); }

  size_t merge() { return countOfMerged(mergeRepeated(graph, graph::outputNodes(graph))); }
  static size_t countOfMerged(const std::vector<NodeId>& into) {
    size_t count = 0;
    for (size_t i = 0; i < into.size(); ++i) {
      count += into[i] != static_cast<NodeId>(i) ? 1 : 0;
    }
    return count;
  }
  /// Nodes that run when what is not needed is gone.
  size_t operatorsLeft() const { return static_cast<size_t>(withoutDeadCode(graph).operatorCount()); }
  std::vector<at::Tensor> run() const {
    std::vector<at::Tensor> inputs;
    for (size_t i = 0; i < graph.placeholders().size(); ++i) {
      inputs.push_back(at::arange(6, at::kFloat).sub(2).mul(static_cast<double>(i) + 1).view({2, 3}));
    }
    return graph::Interpreter(graph).runFlat(std::move(inputs));
  }
};

Argument node(NodeId id) {
  return graph::nodeArgument(id);
}

void expectSame(const std::vector<at::Tensor>& found, const std::vector<at::Tensor>& expected) {
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
  expectSame(made.run(), expected);
}

TEST(GraphPassesTest, NumbersOfAnotherTypeOrSignAreAnotherExpression) {
  const std::vector<Argument> factors{Argument{1.0}, Argument{int64_t{1}}, Argument{true}, Argument{0.0},
                                      Argument{-0.0}};
  PassGraph made;
  std::vector<NodeId> sums;
  for (const Argument& factor : factors) {
    sums.push_back(made.call("aten::neg", {node(made.call("aten::mul.Scalar", {node(made.x), factor}))}));
  }
  made.returns({made.call("aten::stack", {graph::nodeTuple(sums), Argument{int64_t{0}}})});
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
  made.returns({made.call("aten::stack", {graph::nodeTuple(all), Argument{int64_t{0}}})});
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
    expectSame(made.run(), expected);
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
  expectSame(made.run(), expected);
}

TEST(GraphPassesTest, EqualNumbersAreOneButEqualTensorsAreNot) {
  for (const bool isNumber : {false, true}) {
    PassGraph made;
    std::vector<NodeId> products;
    for (int time = 0; time < 2; ++time) {
      at::Tensor two = at::scalar_tensor(2, at::kDouble);
      two.unsafeGetTensorImpl()->set_wrapped_number(isNumber);
      const NodeId constant = made.graph.addConstant("two", graph::tensorConstant(two));
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
  made.returns({made.call("aten::stack", {graph::nodeTuple(all), Argument{int64_t{0}}})});
  EXPECT_EQ(made.merge(), 0U);
}

TEST(GraphPassesTest, MergingAsksTheGate) {
  PassGraph made;
  const NodeId one = made.call("aten::sin", {node(made.x)}), two = made.call("aten::sin", {node(made.x)});
  made.returns({made.call("aten::mul.Tensor", {node(one), node(two)})});
  graph::PassGate none("cse", 0);
  EXPECT_EQ(PassGraph::countOfMerged(mergeRepeated(made.graph, graph::outputNodes(made.graph), &none)), 0U);
  EXPECT_EQ(none.counts(), (std::vector<std::pair<std::string, int64_t>>{{"cse", 1}}));
}

TEST(GraphPassesTest, DeadCodeGoesButWhatDoesMoreStays) {
  PassGraph made;
  const NodeId index = made.input("index");
  made.call("aten::sin", {node(made.x)}); // goes
  made.call("aten::exp", {node(made.call("aten::cos", {node(made.x)}))}); // so do both of these
  made.call("aten::bernoulli", {node(made.x), Argument{}}); // the generator moves on
  made.call("aten::add_.Scalar", {node(made.x), Argument{int64_t{1}}, Argument{int64_t{1}}});
  made.call("aten::gather", {node(made.x), Argument{int64_t{0}}, node(index), Argument{false}}); // may raise
  made.returns({made.call("aten::neg", {node(made.x)})});
  const graph::Graph left = withoutDeadCode(made.graph);
  std::vector<std::string> targets;
  for (const graph::Node& each : left.nodes()) {
    targets.push_back(each.target);
  }
  std::erase(targets, "");
  EXPECT_EQ(targets, (std::vector<std::string>{"aten::bernoulli", "aten::add_.Scalar", "aten::gather", "aten::neg"}));
  EXPECT_EQ(left.placeholders().size(), 2U);
}

TEST(GraphPassesTest, WhatGivesItsOperandBackIsLeftOut) {
  const Argument one{int64_t{1}}, zero{int64_t{0}};
  const std::vector<std::pair<const char*, std::vector<Argument>>> rows{
      {"aten::alias", {}},
      {"aten::view", {graph::integerList({2, 3})}},
      {"aten::permute", {graph::integerList({0, -1})}},
      {"aten::mul.Scalar", {one}},
      {"aten::div.Scalar", {Argument{1.0}}},
      {"aten::sub.Scalar", {zero, one}},
      {"aten::clone", {Argument{}}},
  };
  for (const auto& [target, rest] : rows) {
    PassGraph made;
    std::vector<Argument> arguments{node(made.call("aten::sin", {node(made.x)}))};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    made.returns({made.call("aten::exp", {node(made.call(target, arguments))})});
    const std::vector<at::Tensor> expected = made.run();
    EXPECT_EQ(removeNoOps(made.graph), 1U) << target;
    EXPECT_EQ(made.operatorsLeft(), 2U) << target;
    expectSame(made.run(), expected);
  }
}

TEST(GraphPassesTest, WhatChangesSomethingIsNoNoOp) {
  const Argument one{int64_t{1}};
  const std::vector<std::pair<const char*, std::vector<Argument>>> rows{
      {"aten::mul.Scalar", {Argument{int64_t{2}}}},
      {"aten::add.Scalar", {Argument{0.0}, one}}, // -0.0 becomes 0.0
      {"aten::sub.Scalar", {Argument{-0.0}, one}}, // so it does here
      {"aten::div.Scalar", {Argument{-1.0}}},
  };
  for (const auto& [target, rest] : rows) {
    PassGraph made;
    std::vector<Argument> arguments{node(made.call("aten::sin", {node(made.x)}))};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    made.returns({made.call("aten::exp", {node(made.call(target, arguments))})});
    EXPECT_EQ(removeNoOps(made.graph), 0U) << target;
  }
  PassGraph turned; // a square looks like its transpose
  turned.graph.node(turned.x).metadata->sizes = turned.graph.node(turned.x).metadata->strides = {1, 1};
  const NodeId transpose = turned.call("aten::permute", {node(turned.x), graph::integerList({1, 0})});
  turned.graph.node(transpose).metadata = turned.graph.node(turned.x).metadata;
  turned.returns({turned.call("aten::exp", {node(transpose)})});
  EXPECT_EQ(removeNoOps(turned.graph), 0U);
}

TEST(GraphPassesTest, ACopyOfWhatIsReturnedOrWrittenToIsNoNoOp) {
  PassGraph returned;
  returned.returns({returned.call("aten::clone", {node(returned.x), Argument{}})});
  EXPECT_EQ(removeNoOps(returned.graph), 0U) << "the output must not be the input";

  PassGraph written;
  const NodeId copy = written.call("aten::clone", {node(written.x), Argument{}});
  written.call("aten::add_.Scalar", {node(written.x), Argument{int64_t{1}}, Argument{int64_t{1}}});
  written.returns({written.call("aten::neg", {node(copy)})});
  const std::vector<at::Tensor> expected = written.run();
  EXPECT_EQ(removeNoOps(written.graph), 0U);
  expectSame(written.run(), expected);

  PassGraph through; // the operand is a view, left out before, of what is returned
  const NodeId view = through.view("aten::alias", {node(through.x)});
  const NodeId ofView = through.call("aten::clone", {node(view), Argument{}});
  through.returns({through.call("aten::neg", {node(ofView)}), through.x});
  EXPECT_EQ(removeNoOps(through.graph), 1U) << "the view alone";
}

TEST(GraphPassesTest, DetachOfWhatRequiresGradIsNoNoOp) {
  for (const bool requiresGrad : {false, true}) {
    PassGraph made;
    made.graph.node(made.x).metadata->requiresGrad = requiresGrad;
    made.returns({made.call("aten::neg", {node(made.view("aten::detach", {node(made.x)}))})});
    EXPECT_EQ(removeNoOps(made.graph), requiresGrad ? 0U : 1U);
  }
}

} // namespace touchstone::backends
