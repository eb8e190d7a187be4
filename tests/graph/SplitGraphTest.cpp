#include "graph/ir/SplitGraph.h"

#include "graph/ir/Arguments.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace touchstone::tests {
namespace {

/// x → sin → cos → exp → tan(exp, x); the output is cos and tan.
ir::Graph chain() {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId sine = graph.addOperator("aten::sin", {ir::nodeArgument(x)});
  const ir::NodeId cosine = graph.addOperator("aten::cos", {ir::nodeArgument(sine)});
  const ir::NodeId exponential = graph.addOperator("aten::exp", {ir::nodeArgument(cosine)});
  const ir::NodeId sum = graph.addOperator("aten::mul.Tensor", {ir::nodeArgument(exponential), ir::nodeArgument(x)});
  graph.output = ir::nodeTuple({cosine, sum});
  return graph;
}

TEST(SplitGraphTest, PartsReadAndReturnWhatCrossesTheCut) {
  const std::vector<ir::GraphPart> parts =
      ir::splitGraph(chain(), [](const ir::Node& node) { return node.name == "sin" || node.name == "cos" ? 7 : 3; });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].partition, 7);
  EXPECT_EQ(parts[0].inputs, std::vector<ir::NodeId>{0});
  EXPECT_EQ(parts[0].outputs, std::vector<ir::NodeId>{2});
  EXPECT_EQ(parts[0].graph.operatorCount(), 2);
  EXPECT_EQ(parts[1].inputs, (std::vector<ir::NodeId>{0, 2}));
  EXPECT_EQ(parts[1].outputs, std::vector<ir::NodeId>{4});
  EXPECT_EQ(parts[1].graph.operatorCount(), 2);
  EXPECT_NO_THROW(parts[1].graph.check());
}

TEST(SplitGraphTest, ANegativePartitionIsLeftOut) {
  ir::Graph graph = chain();
  const ir::NodeId unread = graph.addOperator("aten::neg", {ir::nodeArgument(2)});
  const std::string name = graph.node(unread).name;
  const std::vector<ir::GraphPart> parts = ir::splitGraph(graph, [&](const ir::Node& node) {
    return node.name == name ? -1 : node.name == "sin" ? 0 : 1;
  });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].graph.operatorCount() + parts[1].graph.operatorCount(), 4);
}

TEST(SplitGraphTest, APartitionThatHasEndedDoesNotBeginAgain) {
  try {
    ir::splitGraph(chain(), [](const ir::Node& node) { return node.name == "cos" ? 1 : 0; });
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("`exp` belongs to partition 0"), std::string::npos) << error.what();
  }
}

TEST(SplitGraphTest, OperatorsWhoseResultsNobodyReadsRunAllTheSame) {
  ir::Graph graph = chain();
  graph.addOperator("aten::zero_", {ir::nodeArgument(0)});
  const std::vector<ir::GraphPart> parts =
      ir::splitGraph(graph, [](const ir::Node& node) { return node.name == "zero_" ? 1 : 0; });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_TRUE(parts[1].outputs.empty());
  EXPECT_EQ(parts[1].graph.operatorCount(), 1);
}

} // namespace
} // namespace touchstone::tests
