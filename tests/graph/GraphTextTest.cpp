#include "graph/ir/GraphText.h"

#include "graph/ir/ArgumentText.h"

#include <gtest/gtest.h>

#include <limits>

namespace touchstone::tests {
namespace {

using Kind = ir::Argument::Container::Kind;

ir::Argument nodeArgument(ir::NodeId id) {
  return ir::Argument{ir::NodeReference{id}};
}

ir::Argument containerArgument(Kind kind, std::vector<ir::Argument> items, std::vector<std::string> keys = {}) {
  return ir::Argument{ir::Argument::Container{.kind = kind, .items = std::move(items), .keys = std::move(keys)}};
}

ir::TensorMetadata floats(std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  return {.dtype = {6}, .sizes = std::move(sizes), .strides = std::move(strides), .device = "cpu"};
}

std::string typeText(std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  return ir::tensorTypeText(floats(std::move(sizes), std::move(strides)));
}

TEST(GraphTextTest, AFunctionWithALineANode) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.node(x).metadata = floats({3, 4}, {4, 1});
  const ir::NodeId turned = graph.addOperator("aten::t", {nodeArgument(x)});
  graph.node(turned).metadata = floats({4, 3}, {1, 4});
  const ir::NodeId pieces = graph.addOperator("aten::split.Tensor", {nodeArgument(turned), ir::Argument{int64_t{2}}});
  const ir::NodeId piece = graph.addElement(pieces, 1);
  graph.node(piece).metadata = floats({2, 3}, {1, 4});
  graph.node(piece).metadata->offset = 2;
  graph.output = containerArgument(Kind::kTuple, {nodeArgument(piece)});
  EXPECT_EQ(ir::graphCode(graph, {.name = "captured"}),
            "def captured(x: \"f32[3, 4]\"):\n"
            "    t: \"f32[4, 3][1, 4]\" = torch.ops.aten.t.default(x)\n"
            "    split = torch.ops.aten.split.Tensor(t, 2)\n"
            "    split_element_1: \"f32[2, 3][1, 4]\" = split[1]  # offset 2\n"
            "    return (split_element_1,)\n");
}

TEST(GraphTextTest, StridesAreShownWhereSomebodyCanNotice) {
  EXPECT_EQ(typeText({3, 4}, {4, 1}), "f32[3, 4]");
  EXPECT_EQ(typeText({3, 4}, {1, 3}), "f32[3, 4][1, 3]");
  EXPECT_EQ(typeText({1, 4}, {9, 1}), "f32[1, 4]"); // nobody steps along a dimension of one
  EXPECT_EQ(typeText({3, 4}, {0, 1}), "f32[3, 4][0, 1]");
  EXPECT_EQ(typeText({0, 4}, {7, 9}), "f32[0, 4]");
  EXPECT_EQ(typeText({}, {}), "f32[]");
  EXPECT_EQ(ir::tensorTypeText({.dtype = {15}, .sizes = {2}}), "bf16[2]"); // not strided
}

TEST(GraphTextTest, ArgumentsArePython) {
  auto text = [](const ir::Argument& argument) {
    return ir::argumentText(argument, [](ir::NodeId id) { return "node_" + std::to_string(id); });
  };
  EXPECT_EQ(text(nodeArgument(7)), "node_7");
  EXPECT_EQ(text(ir::Argument{}), "None");
  EXPECT_EQ(text(ir::Argument{true}), "True");
  EXPECT_EQ(text(ir::Argument{2.0}), "2.0");
  EXPECT_EQ(text(ir::Argument{0.1}), "0.1");
  EXPECT_EQ(text(ir::Argument{1e30}), "1e+30");
  EXPECT_EQ(text(ir::Argument{-std::numeric_limits<double>::infinity()}), "-float(\"inf\")");
  EXPECT_EQ(text(ir::Argument{std::complex<double>(1, -2)}), "complex(1.0, -2.0)");
  EXPECT_EQ(text(ir::Argument{std::string("a \"b\"")}), "\"a \\\"b\\\"\"");
  EXPECT_EQ(text(ir::Argument{ir::DtypeConstant{7}}), "torch.float64");
  EXPECT_EQ(text(ir::Argument{ir::LayoutConstant{0}}), "torch.strided");
  EXPECT_EQ(text(ir::Argument{ir::MemoryFormatConstant{2}}), "torch.channels_last");
  EXPECT_EQ(text(ir::Argument{ir::DeviceConstant{"cpu"}}), "torch.device(\"cpu\")");
  const std::vector<ir::Argument> one{ir::Argument{int64_t{1}}};
  EXPECT_EQ(text(containerArgument(Kind::kTuple, one)), "(1,)");
  EXPECT_EQ(text(containerArgument(Kind::kList, one)), "[1]");
  EXPECT_EQ(text(containerArgument(Kind::kSize, one)), "torch.Size([1])");
  EXPECT_EQ(text(containerArgument(Kind::kDict, one, {"a"})), "{\"a\": 1}");
}

TEST(GraphTextTest, LinesAndWritesAreComments) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId first = graph.addOperator("aten::sin", {nodeArgument(x)});
  const ir::NodeId second = graph.addOperator("aten::mul_.Tensor", {nodeArgument(first), nodeArgument(x)});
  const ir::NodeId third = graph.addOperator("aten::cos", {nodeArgument(second)});
  graph.node(first).line = graph.node(second).line = 2;
  graph.node(second).writes = {first};
  graph.node(third).line = 3;
  graph.output = nodeArgument(third);
  ir::GraphTextOptions options;
  options.source = {"def program(x):", "    y = x.sin().mul_(x)", "    return y.cos()"};
  EXPECT_EQ(ir::graphCode(graph, options),
            "def graph(x):\n"
            "    # line 2: y = x.sin().mul_(x)\n"
            "    sin = torch.ops.aten.sin.default(x)\n"
            "    mul_ = torch.ops.aten.mul_.Tensor(sin, x)  # writes sin\n"
            "    # line 3: return y.cos()\n"
            "    cos = torch.ops.aten.cos.default(mul_)\n"
            "    return cos\n");
}

TEST(GraphTextTest, TheBackwardStandsApartAndNamesForwardLines) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId sine = graph.addOperator("aten::sin", {nodeArgument(x)});
  graph.node(sine).line = 1;
  graph.node(sine).sequence = 4; // as the number of autograd's node
  const ir::NodeId tangent = graph.addPlaceholder("tangent");
  const ir::NodeId cosine = graph.addOperator("aten::cos", {nodeArgument(x)});
  const ir::NodeId product = graph.addOperator("aten::mul.Tensor", {nodeArgument(tangent), nodeArgument(cosine)});
  for (const ir::NodeId id : {cosine, product}) {
    graph.node(id).backward = true;
    graph.node(id).sequence = 4;
  }
  graph.output = containerArgument(Kind::kTuple, {nodeArgument(sine), nodeArgument(product), ir::Argument{}});
  ir::GraphTextOptions options;
  options.source = {"    return x.sin()"};
  options.lineOfSequence = ir::linesBySequence(graph);
  EXPECT_EQ(ir::graphCode(graph, options),
            "def graph(x, tangent):\n"
            "    # line 1: return x.sin()\n"
            "    sin = torch.ops.aten.sin.default(x)\n"
            "\n"
            "    # backward\n"
            "    # backward of line 1: return x.sin()\n"
            "    cos = torch.ops.aten.cos.default(x)\n"
            "    mul = torch.ops.aten.mul.Tensor(tangent, cos)\n"
            "    return (sin, mul, None)\n");
}

TEST(GraphTextTest, StatesAreShownOnlyWhenAskedFor) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  ir::CallState quiet;
  quiet.gradEnabled = false;
  quiet.autocast = "BFloat16";
  const ir::NodeId inside = graph.addOperator("aten::sin", {nodeArgument(x)}, quiet);
  const ir::NodeId outside = graph.addOperator("aten::cos", {nodeArgument(inside)});
  graph.output = nodeArgument(outside);
  EXPECT_EQ(ir::graphCode(graph, {.showState = true}),
            "def graph(x):\n"
            "    with torch.no_grad(), torch.autocast(\"cpu\", dtype=torch.bfloat16):\n"
            "        sin = torch.ops.aten.sin.default(x)\n"
            "    cos = torch.ops.aten.cos.default(sin)\n"
            "    return cos\n");
  EXPECT_EQ(ir::graphCode(graph).find("with"), std::string::npos);
}

TEST(GraphTextTest, AWideSignatureTakesALineAParameter) {
  ir::Graph graph;
  const std::string longName(60, 'x');
  graph.addPlaceholder(longName + "1");
  graph.addPlaceholder(longName + "2");
  EXPECT_EQ(ir::graphCode(graph), "def graph(\n    " + longName + "1,\n    " + longName + "2,\n):\n    return None\n");
}

} // namespace
} // namespace touchstone::tests
