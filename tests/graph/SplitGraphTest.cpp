#include "graph/ir/SplitGraph.h"

#include "graph/ir/Arguments.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace touchstone::graph {
namespace {

/// x → sin → cos → exp → tan(exp, x); the output is cos and tan.
Graph chain() {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  const NodeId sine = graph.addOperator("aten::sin", {nodeArgument(x)});
  const NodeId cosine = graph.addOperator("aten::cos", {nodeArgument(sine)});
  const NodeId exponential = graph.addOperator("aten::exp", {nodeArgument(cosine)});
  const NodeId sum = graph.addOperator("aten::mul.Tensor", {nodeArgument(exponential), nodeArgument(x)});
  graph.output = nodeTuple({cosine, sum});
  return graph;
}

TEST(SplitGraphTest, PartsReadAndReturnWhatCrossesTheCut) {
  const std::vector<GraphPart> parts =
      splitGraph(chain(), [](const Node& node) { return node.name == "sin" || node.name == "cos" ? 7 : 3; });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].partition, 7);
  EXPECT_EQ(parts[0].inputs, std::vector<NodeId>{0});
  EXPECT_EQ(parts[0].outputs, std::vector<NodeId>{2});
  EXPECT_EQ(parts[0].graph.operatorCount(), 2);
  EXPECT_EQ(parts[1].inputs, (std::vector<NodeId>{0, 2}));
  EXPECT_EQ(parts[1].outputs, std::vector<NodeId>{4});
  EXPECT_EQ(parts[1].graph.operatorCount(), 2);
  EXPECT_NO_THROW(parts[1].graph.check());
}

TEST(SplitGraphTest, ANegativePartitionIsLeftOut) {
  Graph graph = chain();
  const NodeId unread = graph.addOperator("aten::neg", {nodeArgument(2)});
  const std::string name = graph.node(unread).name;
  const std::vector<GraphPart> parts = splitGraph(graph, [&](const Node& node) {
    return node.name == name ? -1 : node.name == "sin" ? 0 : 1;
  });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].graph.operatorCount() + parts[1].graph.operatorCount(), 4);
}

TEST(SplitGraphTest, APartitionThatHasEndedDoesNotBeginAgain) {
  try {
    splitGraph(chain(), [](const Node& node) { return node.name == "cos" ? 1 : 0; });
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("`exp` belongs to partition 0"), std::string::npos) << error.what();
  }
}

TEST(SplitGraphTest, OperatorsWhoseResultsNobodyReadsRunAllTheSame) {
  Graph graph = chain();
  graph.addOperator("aten::zero_", {nodeArgument(0)});
  const std::vector<GraphPart> parts = splitGraph(graph, [](const Node& node) { return node.name == "zero_" ? 1 : 0; });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_TRUE(parts[1].outputs.empty());
  EXPECT_EQ(parts[1].graph.operatorCount(), 1);
}

} // namespace
} // namespace touchstone::graph
