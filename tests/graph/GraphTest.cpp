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

TEST(GraphTest, TextShowsArgumentsElementsAndMetadata) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  const NodeId chunks = graph.addOperator("aten::chunk", {reference(x), Argument{int64_t{2}}, Argument{int64_t{0}}});
  const NodeId part = graph.addElement(chunks, 1);
  graph.node(part).metadata = TensorMetadata{DtypeConstant{6}, {2, 3}, {3, 1}, 6, "cpu", true};
  graph.output = Argument{Argument::Container{.kind = Argument::Container::Kind::kTuple, .items = {reference(part)}}};
  const std::string text = printGraph(graph, "forward");
  EXPECT_NE(text.find("forward(x):"), std::string::npos) << text;
  EXPECT_NE(text.find("chunk = aten::chunk(x, 2, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("float32[2, 3] strides [3, 1] offset 6 requires_grad"), std::string::npos) << text;
  EXPECT_NE(text.find("return (chunk_element_1,)"), std::string::npos) << text;
}

} // namespace
} // namespace touchstone::graph
