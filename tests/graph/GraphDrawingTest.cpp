#include "graph/ir/GraphDrawing.h"

#include "graph/ir/Arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace touchstone::tests {
namespace {

ir::TensorMetadata drawnFloats(std::vector<int64_t> sizes) {
  ir::TensorMetadata metadata{.dtype = {6}, .sizes = std::move(sizes), .device = "cpu"};
  metadata.strides.assign(metadata.sizes.size(), 1);
  return metadata;
}

ir::NodeId call(ir::Graph& graph, const std::string& target, std::vector<ir::Argument> arguments,
                bool backward = false) {
  const ir::NodeId node = graph.addOperator(target, std::move(arguments));
  graph.node(node).metadata = drawnFloats({3});
  graph.node(node).backward = backward;
  return node;
}

/// x * w, and its gradients.
ir::Graph jointGraph() {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x"), w = graph.addPlaceholder("w");
  graph.node(x).metadata = graph.node(w).metadata = drawnFloats({3});
  graph.node(w).metadata->requiresGrad = true;
  const ir::NodeId product = call(graph, "aten::mul.Tensor", {ir::nodeArgument(x), ir::nodeArgument(w)});
  const ir::NodeId tangent = graph.addPlaceholder("tangent_0");
  const ir::NodeId gradient = call(graph, "aten::mul.Tensor", {ir::nodeArgument(tangent), ir::nodeArgument(x)}, true);
  graph.output = ir::nodeTuple({product, gradient});
  return graph;
}

std::string drawingOf(const ir::Graph& graph, std::set<std::string> saved = {},
                      ir::DrawnPart part = ir::DrawnPart::kWhole) {
  ir::DrawnGraph drawn;
  drawn.graph = &graph;
  drawn.part = part;
  drawn.saved = std::move(saved);
  drawn.returnsView = [](const std::string& target) { return target == "aten::t"; };
  return ir::graphDrawing({drawn});
}

std::vector<std::string> linesWith(const std::string& text, const std::string& part) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(part) != std::string::npos) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string lineOfNode(const std::string& text, int node) {
  const auto lines = linesWith(text, "    g0_n" + std::to_string(node) + " [");
  return lines.size() == 1 ? lines[0] : "(" + std::to_string(lines.size()) + " lines)";
}

/// What lies between the braces of a cluster.
std::string cluster(const std::string& text, const std::string& name) {
  const size_t begin = text.find("subgraph cluster_g0_" + name + " {");
  return begin == std::string::npos ? "" : text.substr(begin, text.find("}\n", begin) - begin);
}

/// As `from to`, in the order in which data flow.
std::multiset<std::string> edgesOf(const std::string& text) {
  std::multiset<std::string> edges;
  for (const std::string& line : linesWith(text, " -> ")) {
    static const std::regex kEdge("^  g0_(\\w+) -> g0_(\\w+)( \\[.*\\])?;$");
    std::smatch match;
    if (std::regex_match(line, match, kEdge)) {
      const bool isTurned = match[3].str().find("dir=back") != std::string::npos;
      edges.insert(isTurned ? match[2].str() + " " + match[1].str() : match[1].str() + " " + match[2].str());
    }
  }
  return edges;
}

TEST(GraphDrawingTest, EachNodeAndEachEdgeIsThereOnce) {
  const std::string text = drawingOf(jointGraph());
  for (int node = 0; node < 5; ++node) {
    EXPECT_NE(lineOfNode(text, node).find("label=<<b>"), std::string::npos) << lineOfNode(text, node);
  }
  EXPECT_EQ(edgesOf(text),
            (std::multiset<std::string>{"n0 n2", "n1 n2", "n2 output0", "n3 n4", "n0 n4", "n4 output1"}));
}

TEST(GraphDrawingTest, AnOperandTwiceIsOneEdge) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  call(graph, "aten::mul.Tensor", {ir::nodeArgument(x), ir::nodeArgument(x)});
  EXPECT_EQ(edgesOf(drawingOf(graph)), (std::multiset<std::string>{"n0 n1"}));
}

TEST(GraphDrawingTest, ForwardAndBackwardAreBoxes) {
  const std::string text = drawingOf(jointGraph());
  const std::string forward = cluster(text, "forward"), backward = cluster(text, "backward");
  for (const char* name : {"g0_n0 ", "g0_n1 ", "g0_n2 ", "g0_output0 "}) {
    EXPECT_NE(forward.find(name), std::string::npos) << name;
    EXPECT_EQ(backward.find(name), std::string::npos) << name;
  }
  for (const char* name : {"g0_n3 ", "g0_n4 ", "g0_output1 "}) {
    EXPECT_NE(backward.find(name), std::string::npos) << name;
    EXPECT_EQ(forward.find(name), std::string::npos) << name;
  }
  ir::Graph alone;
  call(alone, "aten::relu", {ir::nodeArgument(alone.addPlaceholder("x"))});
  EXPECT_EQ(cluster(drawingOf(alone), "forward"), "");
}

TEST(GraphDrawingTest, ElementsAreWhereTheirTuplesAre) {
  ir::Graph graph = jointGraph();
  const ir::NodeId pieces = call(graph, "aten::split.Tensor", {ir::nodeArgument(4)}, true);
  graph.addElement(pieces, 0);
  EXPECT_NE(cluster(drawingOf(graph), "backward").find("g0_n6 "), std::string::npos);
}

TEST(GraphDrawingTest, WhatIsSavedIsMarked) {
  const auto isMarked = [](const std::string& line) { return line.find("penwidth=3") != std::string::npos; };
  const ir::Graph joint = jointGraph();
  const std::string uncut = drawingOf(joint); // the backward reads x
  EXPECT_TRUE(isMarked(lineOfNode(uncut, 0)));
  EXPECT_FALSE(isMarked(lineOfNode(uncut, 1)) || isMarked(lineOfNode(uncut, 2)));
  EXPECT_EQ(linesWith(uncut, "label=\"read by the backward\"").size(), 1U);
  const std::string cut = drawingOf(joint, {"mul"});
  EXPECT_FALSE(isMarked(lineOfNode(cut, 0)));
  EXPECT_TRUE(isMarked(lineOfNode(cut, 2)));
  EXPECT_EQ(linesWith(cut, "label=\"saved for the backward\"").size(), 1U);
}

TEST(GraphDrawingTest, AForwardReturnsWhatIsSavedLast) {
  ir::Graph forward;
  const ir::NodeId x = forward.addPlaceholder("x");
  const ir::NodeId sine = call(forward, "aten::sin", {ir::nodeArgument(x)});
  forward.output = ir::nodeTuple({sine, x});
  const std::string text = drawingOf(forward, {"another_name"}, ir::DrawnPart::kForward);
  EXPECT_NE(lineOfNode(text, x).find("penwidth=3"), std::string::npos);
  EXPECT_EQ(edgesOf(text), (std::multiset<std::string>{"n0 n1", "n1 output0"}));
}

TEST(GraphDrawingTest, ABackwardTakesWhatWasSavedThenTangents) {
  ir::Graph backward;
  const ir::NodeId x = backward.addPlaceholder("x"), tangent = backward.addPlaceholder("tangent_0");
  backward.output =
      ir::nodeTuple({call(backward, "aten::mul.Tensor", {ir::nodeArgument(tangent), ir::nodeArgument(x)}, true)});
  const std::string text = drawingOf(backward, {"x"}, ir::DrawnPart::kBackward);
  EXPECT_NE(lineOfNode(text, x).find("penwidth=3"), std::string::npos);
  EXPECT_EQ(lineOfNode(text, tangent).find("penwidth=3"), std::string::npos);
  for (const char* words : {"label=\"tangent\"", "label=\"gradient\"", "label=\"saved for the backward\""}) {
    EXPECT_EQ(linesWith(text, words).size(), 1U) << words;
  }
}

TEST(GraphDrawingTest, ABackwardThatWasCapturedWholeGivesGradients) {
  ir::Graph graph;
  const ir::NodeId tangent = graph.addPlaceholder("tangent");
  const ir::NodeId gradient = call(graph, "aten::neg", {ir::nodeArgument(tangent)}, true);
  graph.output = ir::nodeTuple({gradient});
  const std::string text = drawingOf(graph);
  EXPECT_EQ(linesWith(text, "gradient 0").size(), 1U) << text;
  EXPECT_EQ(linesWith(text, "forward").size(), 0U) << "there is none\n" << text;
}

TEST(GraphDrawingTest, RolesAreInTheLegend) {
  ir::Graph graph = jointGraph();
  const std::string without = drawingOf(graph);
  for (const char* words : {"input", "input that requires grad", "tangent", "operator", "output", "gradient"}) {
    EXPECT_EQ(linesWith(without, std::string("[label=\"") + words + "\" ").size(), 1U) << words;
  }
  EXPECT_TRUE(linesWith(without, "label=\"view\"").empty());
  const ir::NodeId turned = call(graph, "aten::t", {ir::nodeArgument(0)});
  const ir::NodeId written = call(graph, "aten::add_.Tensor", {ir::nodeArgument(turned), ir::Argument{int64_t{1}}});
  graph.node(written).writes = {turned};
  const std::string with = drawingOf(graph);
  EXPECT_EQ(linesWith(with, "label=\"view\"").size(), 1U);
  EXPECT_EQ(linesWith(with, "label=\"writes to its argument\"").size(), 1U);
  EXPECT_NE(lineOfNode(with, written).find("writes t<"), std::string::npos) << lineOfNode(with, written);
}

TEST(GraphDrawingTest, WhatIsReadAfterAWriteComesFromTheWriter) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId written = call(graph, "aten::add_.Tensor", {ir::nodeArgument(x), ir::Argument{int64_t{1}}});
  graph.node(written).writes = {x};
  graph.output = ir::nodeTuple({call(graph, "aten::sin", {ir::nodeArgument(x)}), x});
  EXPECT_EQ(edgesOf(drawingOf(graph)), (std::multiset<std::string>{"n0 n1", "n1 n2", "n2 output0", "n1 output1"}));
}

TEST(GraphDrawingTest, LabelsShowOperatorArgumentsDtypeAndShape) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId sum = call(graph, "aten::sum.dim_IntList", {ir::nodeArgument(x), ir::integerList({1})});
  graph.node(sum).metadata = drawnFloats({4});
  const std::string line = lineOfNode(drawingOf(graph), sum);
  EXPECT_NE(line.find("<b>sum.dim_IntList</b><br/><i>[1]</i><br/>sum: f32[4]"), std::string::npos) << line;
}

TEST(GraphDrawingTest, LabelsAreEscaped) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId div = call(graph, "mine::a<b>&c", {ir::nodeArgument(x), ir::Argument{std::string("\"<&>\\N\n")}});
  graph.node(div).line = 1;
  ir::DrawnGraph drawn;
  drawn.graph = &graph;
  drawn.text.name = "a \"name\"";
  drawn.text.source = {"y = f(\"\\N\") # <b>"};
  const std::string text = ir::graphDrawing({drawn});
  const std::string line = lineOfNode(text, div);
  EXPECT_NE(line.find("<b>mine::a&lt;b&gt;&amp;c</b>"), std::string::npos) << line;
  EXPECT_NE(line.find("&quot;&lt;&amp;&gt;"), std::string::npos) << line;
  EXPECT_NE(line.find(R"(tooltip="line 1: y = f(\"\\N\") # <b>")"), std::string::npos) << line;
  EXPECT_NE(text.find(R"(label="a \"name\"")"), std::string::npos);
}

TEST(GraphDrawingTest, NumbersStandWhereTheyAreUsed) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x"), two = graph.addConstant("two", nullptr);
  const ir::NodeId product = call(graph, "aten::mul.Tensor", {ir::nodeArgument(x), ir::nodeArgument(two)});
  ir::DrawnGraph drawn;
  drawn.graph = &graph;
  drawn.text.numberText = [](const std::shared_ptr<const void>&) { return std::string("2"); };
  const std::string text = ir::graphDrawing({drawn});
  EXPECT_EQ(lineOfNode(text, two), "(0 lines)");
  EXPECT_NE(lineOfNode(text, product).find("<i>2</i>"), std::string::npos) << lineOfNode(text, product);
  EXPECT_EQ(edgesOf(text), (std::multiset<std::string>{"n0 n2"}));
}

TEST(GraphDrawingTest, SeveralGraphsAreOnePicture) {
  const ir::Graph graph = jointGraph();
  ir::DrawnGraph drawn;
  drawn.graph = &graph;
  const std::string text = ir::graphDrawing({drawn, drawn});
  EXPECT_EQ(linesWith(text, "digraph ").size(), 1U);
  EXPECT_EQ(linesWith(text, "    g1_n4 [").size(), 1U);
  EXPECT_EQ(linesWith(text, "cluster_legend").size(), 1U);
}

} // namespace
} // namespace touchstone::tests
