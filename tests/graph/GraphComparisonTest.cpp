#include "graph/ir/GraphComparison.h"

#include "graph/ir/Arguments.h"

#include <gtest/gtest.h>

#include <utility>

namespace touchstone::tests {
namespace {

/// f(x) by operators, each on the result of the one before.
ir::Graph chain(const std::vector<std::string>& targets, const std::string& device = "cpu") {
  ir::Graph graph;
  ir::NodeId last = graph.addPlaceholder("x");
  for (const std::string& target : targets) {
    last = graph.addOperator(target, {ir::nodeArgument(last), ir::Argument{ir::DeviceConstant{device}}});
    graph.node(last).metadata = ir::TensorMetadata{.sizes = {2, 3}, .strides = {3, 1}, .device = device};
  }
  graph.output = ir::nodeTuple({last});
  return graph;
}

TEST(GraphComparisonTest, DevicesDoNotCount) {
  const ir::Graph left = chain({"a::f", "a::g"}), right = chain({"a::f", "a::g"}, "cuda:0");
  EXPECT_TRUE(ir::compareButForDevices(left, right).isEmpty());
}

TEST(GraphComparisonTest, OperatorsThatOneHasInPlaceOfOthers) {
  const ir::GraphDifference found =
      ir::compareButForDevices(chain({"a::f", "a::g", "a::h", "a::k"}), chain({"a::f", "a::fused", "a::k"}, "cuda:0"));
  ASSERT_EQ(found.replacements.size(), 1U);
  EXPECT_EQ(found.replacements[0], (ir::GraphDifference::Replacement{{"a::g", "a::h"}, {"a::fused"}}));
  EXPECT_TRUE(found.details.empty()) << found.details[0].text; // `k` reads what only one of them has
}

TEST(GraphComparisonTest, WhatOnlyOneHas) {
  const ir::GraphDifference found = ir::compareButForDevices(chain({"a::f"}), chain({"a::f", "a::g"}));
  ASSERT_EQ(found.replacements.size(), 1U);
  EXPECT_EQ(found.replacements[0], (ir::GraphDifference::Replacement{{}, {"a::g"}}));
}

/// What a change of the second Graph is called.
template <class Change>
std::string detailOf(Change change) {
  const ir::Graph left = chain({"a::f", "a::g", "a::g"});
  ir::Graph right = left;
  change(right);
  const ir::GraphDifference found = ir::compareButForDevices(left, right);
  EXPECT_TRUE(found.replacements.empty());
  return found.details.size() == 1 ? found.details[0].text : "(" + std::to_string(found.details.size()) + ")";
}

TEST(GraphComparisonTest, WhichResultOfWhichOperatorLooksOtherwise) {
  const auto graphOf = [](std::vector<int64_t> sizes) {
    ir::Graph graph;
    const ir::NodeId call = graph.addOperator("aten::sort", {ir::nodeArgument(graph.addPlaceholder("x"))});
    for (const ir::NodeId node : {graph.addElement(call, 1), graph.addPlaceholder("sort_12_element_1"),
                                  graph.addPlaceholder("sort_element_0"), graph.addPlaceholder("x_1")}) {
      graph.node(node).metadata = ir::TensorMetadata{.sizes = sizes, .strides = {1}, .device = "cpu"};
    }
    graph.output = ir::nodeTuple({call});
    return graph;
  };
  const std::vector<ir::GraphDifference::Detail> found = ir::compareButForDevices(graphOf({0}), graphOf({3})).details;
  ASSERT_EQ(found.size(), 4U);
  const std::vector<std::pair<std::string, int64_t>> expected{
      {"aten::sort", 1}, {"aten::sort", 1}, {"aten::sort", 0}, {"", -1}};
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(std::make_pair(found[i].resultOf, found[i].index), expected[i]) << found[i].text;
    EXPECT_TRUE(found[i].isEmptyOnLeft);
  }
  EXPECT_FALSE(ir::compareButForDevices(graphOf({3}), graphOf({0})).details.at(0).isEmptyOnLeft);
}

TEST(GraphComparisonTest, NodesThatBothHave) {
  EXPECT_EQ(detailOf([](ir::Graph&) {}), "(0)");
  EXPECT_EQ(detailOf([](ir::Graph& graph) { graph.node(2).arguments[0] = ir::nodeArgument(0); }),
            "g (a::g): %1 and %0");
  EXPECT_EQ(detailOf([](ir::Graph& graph) { graph.node(2).arguments[1] = ir::Argument{int64_t{7}}; }),
            "g (a::g): None and 7");
  EXPECT_EQ(detailOf([](ir::Graph& graph) {
              graph.node(2).metadata->strides = {1, 2};
            }),
            "g (a::g): f32[2, 3] and f32[2, 3][1, 2]");
  EXPECT_EQ(detailOf([](ir::Graph& graph) { graph.node(2).metadata->offset = 4; }),
            "g (a::g): f32[2, 3] and f32[2, 3] at 4");
  EXPECT_EQ(detailOf([](ir::Graph& graph) { graph.node(2).writes = {1}; }),
            "g (a::g): in the forward and writes %1 in the forward");
  EXPECT_EQ(detailOf([](ir::Graph& graph) { graph.node(2).backward = true; }),
            "g (a::g): in the forward and in the backward");
  EXPECT_EQ(detailOf([](ir::Graph& graph) { graph.output = ir::nodeTuple({1}); }), "the output: %3 and %1");
  EXPECT_EQ(detailOf([](ir::Graph& graph) { graph.output = ir::nodeTuple({3, 3}); }), "the output: 1 values and 2");
}

TEST(GraphComparisonTest, AConstantInPlaceOfANodeIsADifference) {
  const ir::Graph left = chain({"a::f", "a::g"});
  ir::Graph right;
  const ir::NodeId x = right.addPlaceholder("x");
  const ir::NodeId constant = right.addConstant("c", nullptr);
  const ir::NodeId f = right.addOperator("a::f", {ir::nodeArgument(x), ir::Argument{ir::DeviceConstant{"cpu"}}});
  const ir::NodeId g = right.addOperator("a::g", {ir::nodeArgument(constant), ir::Argument{ir::DeviceConstant{"cpu"}}});
  right.node(f).metadata = left.node(1).metadata;
  right.node(g).metadata = left.node(2).metadata;
  right.output = ir::nodeTuple({g});
  const ir::GraphDifference found = ir::compareButForDevices(left, right);
  ASSERT_EQ(found.details.size(), 1U);
  EXPECT_EQ(found.details[0].text, "g (a::g): %1 and ?");
}

} // namespace
} // namespace touchstone::tests
