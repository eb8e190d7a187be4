#include "graph/ir/Graph.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace touchstone::graph {
namespace {

Argument reference(NodeId id) {
  return Argument{NodeReference{id}};
}

TEST(GraphTest, NamesAreUniqueAndReadable) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  const NodeId first = graph.addOperator("aten::sin", {reference(x)});
  const NodeId second = graph.addOperator("aten::sin", {reference(first)});
  EXPECT_EQ(graph.node(first).name, "sin");
  EXPECT_NE(graph.node(second).name, "sin");
  EXPECT_EQ(graph.operatorCount(), 2);
  EXPECT_NO_THROW(graph.check());
}

TEST(GraphTest, ANodeMayReferToEarlierOnesOnly) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::sin", {reference(x + 1)}); // itself
  EXPECT_THROW(graph.check(), std::logic_error);
  Graph open;
  open.output = reference(0);
  EXPECT_THROW(open.check(), std::logic_error);
}

TEST(GraphTest, TextHasTheNameThatIsGiven) {
  Graph graph;
  graph.output = reference(graph.addPlaceholder("x"));
  EXPECT_EQ(printGraph(graph, "forward"), "def forward(x):\n    return x\n");
}

} // namespace
} // namespace touchstone::graph
