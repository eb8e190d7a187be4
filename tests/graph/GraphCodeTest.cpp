#include "graph/runtime/GraphCode.h"

#include "graph/runtime/Interpreter.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

namespace touchstone::tests {
namespace {

ir::Argument ofNode(ir::NodeId id) {
  return ir::Argument{ir::NodeReference{id}};
}

/// The line of the last node.
std::string lastLine(const ir::Graph& graph) {
  std::string text = ir::graphCode(graph, runtime::libtorchTextOptions());
  text.resize(text.rfind("    return"));
  const size_t begin = text.rfind("\n", text.size() - 2) + 5;
  return text.substr(begin, text.size() - begin - 1);
}

TEST(GraphCodeTest, DefaultsAreLeftOutAndKeywordsNamed) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::add.Tensor", {ofNode(x), ofNode(x), ir::Argument{int64_t{1}}});
  EXPECT_EQ(lastLine(graph), "add = torch.ops.aten.add.Tensor(x, x)");
  graph.addOperator("aten::add.Tensor", {ofNode(x), ofNode(x), ir::Argument{int64_t{2}}});
  EXPECT_EQ(lastLine(graph), "add_2 = torch.ops.aten.add.Tensor(x, x, alpha=2)");
  const ir::Argument dimensions{ir::Argument::Container{.items = {ir::Argument{int64_t{0}}}}};
  graph.addOperator("aten::sum.dim_IntList", {ofNode(x), dimensions, ir::Argument{false}, ir::Argument{}});
  EXPECT_EQ(lastLine(graph), "sum = torch.ops.aten.sum.dim_IntList(x, [0])");
  graph.addOperator("aten::sum.dim_IntList",
                    {ofNode(x), dimensions, ir::Argument{true}, ir::Argument{ir::DtypeConstant{7}}});
  EXPECT_EQ(lastLine(graph), "sum_4 = torch.ops.aten.sum.dim_IntList(x, [0], True, dtype=torch.float64)");
}

TEST(GraphCodeTest, ADefaultBeforeAnArgumentIsShown) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::slice.Tensor", {ofNode(x), ir::Argument{int64_t{0}}, ir::Argument{},
                                           ir::Argument{int64_t{2}}, ir::Argument{int64_t{1}}});
  EXPECT_EQ(lastLine(graph), "slice = torch.ops.aten.slice.Tensor(x, 0, None, 2)");
}

TEST(GraphCodeTest, ConstantsOfOneElementAreShownByValue) {
  ir::Graph graph;
  graph.addConstant("half", runtime::tensorConstant(at::full({}, 0.5)));
  EXPECT_EQ(lastLine(graph), "half = torch.tensor(0.5, dtype=torch.float32)");
  graph.addConstant("flag", runtime::tensorConstant(at::full({1, 1}, true, at::kBool)));
  EXPECT_EQ(lastLine(graph), "flag = torch.tensor([[True]], dtype=torch.bool)");
  graph.addConstant("many", runtime::tensorConstant(at::full({3}, 2, at::kLong)));
  EXPECT_EQ(lastLine(graph), "many = constants[2]");
}

TEST(GraphCodeTest, NumbersStandWhereTheyAreUsed) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  at::Tensor number = at::full({}, 2.5, at::kDouble);
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  const ir::NodeId constant = graph.addConstant("constant", runtime::tensorConstant(number));
  graph.addOperator("aten::mul.Tensor", {ofNode(x), ofNode(constant)});
  graph.output = ofNode(constant);
  EXPECT_EQ(ir::graphCode(graph, runtime::libtorchTextOptions()),
            "def graph(x):\n    mul = torch.ops.aten.mul.Tensor(x, 2.5)\n    return 2.5\n");
}

TEST(GraphCodeTest, AnOperatorThatDoesNotExistIsWrittenAllTheSame) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.addOperator("mine::no_such.thing", {ofNode(x), ir::Argument{2.5}});
  EXPECT_EQ(lastLine(graph), "no_such = torch.ops.mine.no_such.thing(x, 2.5)");
}

} // namespace
} // namespace touchstone::tests
