#include "graph/runtime/GraphCode.h"

#include "graph/runtime/Interpreter.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

namespace touchstone::graph {
namespace {

Argument ofNode(NodeId id) {
  return Argument{NodeReference{id}};
}

/// The line of the last node.
std::string lastLine(const Graph& graph) {
  std::string text = graphCode(graph, libtorchTextOptions());
  text.resize(text.rfind("    return"));
  const size_t begin = text.rfind("\n", text.size() - 2) + 5;
  return text.substr(begin, text.size() - begin - 1);
}

TEST(GraphCodeTest, DefaultsAreLeftOutAndKeywordsNamed) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::add.Tensor", {ofNode(x), ofNode(x), Argument{int64_t{1}}});
  EXPECT_EQ(lastLine(graph), "add = torch.ops.aten.add.Tensor(x, x)");
  graph.addOperator("aten::add.Tensor", {ofNode(x), ofNode(x), Argument{int64_t{2}}});
  EXPECT_EQ(lastLine(graph), "add_2 = torch.ops.aten.add.Tensor(x, x, alpha=2)");
  const Argument dimensions{Argument::Container{.items = {Argument{int64_t{0}}}}};
  graph.addOperator("aten::sum.dim_IntList", {ofNode(x), dimensions, Argument{false}, Argument{}});
  EXPECT_EQ(lastLine(graph), "sum = torch.ops.aten.sum.dim_IntList(x, [0])");
  graph.addOperator("aten::sum.dim_IntList", {ofNode(x), dimensions, Argument{true}, Argument{DtypeConstant{7}}});
  EXPECT_EQ(lastLine(graph), "sum_4 = torch.ops.aten.sum.dim_IntList(x, [0], True, dtype=torch.float64)");
}

TEST(GraphCodeTest, ADefaultBeforeAnArgumentIsShown) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::slice.Tensor",
                    {ofNode(x), Argument{int64_t{0}}, Argument{}, Argument{int64_t{2}}, Argument{int64_t{1}}});
  EXPECT_EQ(lastLine(graph), "slice = torch.ops.aten.slice.Tensor(x, 0, None, 2)");
}

TEST(GraphCodeTest, ConstantsOfOneElementAreShownByValue) {
  Graph graph;
  graph.addConstant("half", tensorConstant(at::full({}, 0.5)));
  EXPECT_EQ(lastLine(graph), "half = torch.tensor(0.5, dtype=torch.float32)");
  graph.addConstant("flag", tensorConstant(at::full({1, 1}, true, at::kBool)));
  EXPECT_EQ(lastLine(graph), "flag = torch.tensor([[True]], dtype=torch.bool)");
  graph.addConstant("many", tensorConstant(at::full({3}, 2, at::kLong)));
  EXPECT_EQ(lastLine(graph), "many = constants[2]");
}

TEST(GraphCodeTest, NumbersStandWhereTheyAreUsed) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  at::Tensor number = at::full({}, 2.5, at::kDouble);
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  const NodeId constant = graph.addConstant("constant", tensorConstant(number));
  graph.addOperator("aten::mul.Tensor", {ofNode(x), ofNode(constant)});
  graph.output = ofNode(constant);
  EXPECT_EQ(graphCode(graph, libtorchTextOptions()),
            "def graph(x):\n    mul = torch.ops.aten.mul.Tensor(x, 2.5)\n    return 2.5\n");
}

TEST(GraphCodeTest, AnOperatorThatDoesNotExistIsWrittenAllTheSame) {
  Graph graph;
  const NodeId x = graph.addPlaceholder("x");
  graph.addOperator("mine::no_such.thing", {ofNode(x), Argument{2.5}});
  EXPECT_EQ(lastLine(graph), "no_such = torch.ops.mine.no_such.thing(x, 2.5)");
}

} // namespace
} // namespace touchstone::graph
