#include "graph/ir/Graph.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace touchstone::tests {
namespace {

ir::Argument reference(ir::NodeId id) {
  return ir::Argument{ir::NodeReference{id}};
}

TEST(GraphTest, NamesAreUniqueAndReadable) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId first = graph.addOperator("aten::sin", {reference(x)});
  const ir::NodeId second = graph.addOperator("aten::sin", {reference(first)});
  EXPECT_EQ(graph.node(first).name, "sin");
  EXPECT_NE(graph.node(second).name, "sin");
  EXPECT_EQ(graph.operatorCount(), 2);
  EXPECT_NO_THROW(graph.check());
}

TEST(GraphTest, ANodeMayReferToEarlierOnesOnly) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::sin", {reference(x + 1)}); // itself
  EXPECT_THROW(graph.check(), std::logic_error);
  ir::Graph open;
  open.output = reference(0);
  EXPECT_THROW(open.check(), std::logic_error);
}

TEST(GraphTest, TextHasTheNameThatIsGiven) {
  ir::Graph graph;
  graph.output = reference(graph.addPlaceholder("x"));
  EXPECT_EQ(ir::printGraph(graph, "forward"), "def forward(x):\n    return x\n");
}

} // namespace
} // namespace touchstone::tests
