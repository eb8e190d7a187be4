#include "graph/runtime/RunnableCode.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/BackwardCalls.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"
#include "tests/graph/PythonProcess.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <gtest/gtest.h>

#include <limits>

namespace touchstone::tests {
namespace {

std::string lineWith(const std::string& text, const std::string& part) {
  const size_t found = text.find(part);
  const size_t begin = text.rfind('\n', found) + 1;
  return found == std::string::npos ? "" : text.substr(begin, text.find('\n', found) - begin);
}

TEST(RunnableCodeTest, NamesThatPythonKeepsForItselfEndInAnUnderscore) {
  ir::Graph graph;
  const ir::NodeId lambda = graph.addPlaceholder("lambda"), torch = graph.addPlaceholder("torch"),
                   taken = graph.addPlaceholder("torch_");
  graph.addOperator("aten::complex", {ir::nodeArgument(lambda), ir::nodeArgument(torch)});
  graph.output = ir::nodeTuple({3, taken});
  const std::string text = ir::graphCode(graph, runtime::libtorchTextOptions());
  EXPECT_EQ(text,
            "def graph(lambda_, torch__, torch_):\n    complex_ = torch.ops.aten.complex.default(lambda_, torch__)\n"
            "    return (complex_, torch_)\n");
}

TEST(RunnableCodeTest, AnOverloadThatIsAKeywordIsLookedUpByItsName) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.addOperator("aten::random.from",
                    {ir::nodeArgument(x), ir::Argument{int64_t{0}}, ir::Argument{int64_t{9}}, ir::Argument{}});
  graph.output = ir::nodeTuple({1});
  EXPECT_EQ(lineWith(runtime::runnableCode(graph, {}), "random ="),
            "    random = getattr(torch.ops.aten.random, \"from\")(x, 0, 9)");
}

TEST(RunnableCodeTest, ConstantsAreWrittenOut) {
  ir::Graph graph;
  const double infinity = std::numeric_limits<double>::infinity();
  graph.addConstant("a", runtime::tensorConstant(at::tensor({0.1F, -0.0F, static_cast<float>(infinity)})));
  graph.addConstant("b", runtime::tensorConstant(at::arange(6, at::kLong).view({2, 3}).t()));
  graph.addConstant("c", runtime::tensorConstant(at::full({0, 2}, 1, at::kBool)));
  graph.output = ir::nodeTuple({0, 1, 2});
  const std::string text = runtime::runnableCode(graph, {});
  EXPECT_NE(
      lineWith(text, "a = ").find("torch.tensor([0.10000000149011612, -0.0, float(\"inf\")], dtype=torch.float32)"),
      std::string::npos)
      << text;
  EXPECT_NE(
      lineWith(text, "b = ").find("torch.tensor([0, 1, 2, 3, 4, 5], dtype=torch.int64).as_strided((3, 2), (1, 3))"),
      std::string::npos)
      << text;
  EXPECT_NE(lineWith(text, "c = ").find("torch.tensor([], dtype=torch.bool).as_strided((0, 2)"), std::string::npos)
      << text;
}

TEST(RunnableCodeTest, WhatPythonHasNoTextForSaysSoWhenItIsUsed) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  graph.addCallable("Scaled.apply", {ir::nodeArgument(x)}, runtime::callableOf({}));
  graph.output = ir::nodeTuple({1});
  const std::string text = runtime::runnableCode(graph, {});
  EXPECT_EQ(lineWith(text, "Scaled = "), "    Scaled = callables[\"Scaled.apply\"](x)");
  const PythonResult run =
      runPython(text + "\n\ntry:\n    graph(1)\nexcept NotImplementedError as error:\n    print(error)\n");
  EXPECT_EQ(run.output, "the callable 'Scaled.apply' is not in this file: a Graph has no text for it\n");
}

TEST(RunnableCodeTest, GradsThatABackwardSetsAreKeptByTheNodeThatAccumulates) {
  for (const bool isHooked : {false, true}) {
    ir::Graph graph;
    const ir::NodeId tangent = graph.addPlaceholder("tangent");
    ir::NodeId gradient = graph.addOperator("aten::neg", {ir::nodeArgument(tangent)});
    graph.addCallable(ir::kSetGrad, {ir::nodeArgument(gradient), ir::Argument{int64_t{4}}}, nullptr);
    if (isHooked) {
      graph.addCallable("compiled_autograd::hooks", {ir::nodeArgument(gradient)}, nullptr);
    }
    graph.output = ir::nodeTuple({});
    const std::string text = runtime::runnableCode(graph, {.name = "backward"});
    EXPECT_EQ(lineWith(text, "# Not in this file"),
              isHooked ? "# Not in this file, as a Graph has no text for it: compiled_autograd::hooks" : "");
    const PythonResult run = runPython(text +
                                       "\n\ntry:\n    backward(torch.tensor([1.0, 2.0]))\n"
                                       "except NotImplementedError as error:\n    print(error)\n"
                                       "print({node: grad.tolist() for node, grad in new_grads.items()})\n");
    EXPECT_EQ(run.output, std::string(isHooked ? "the callable 'compiled_autograd::hooks' is not in this file: a Graph "
                                                 "has no text for it\n"
                                               : "") +
                              "{4: [-1.0, -2.0]}\n");
  }
}

TEST(RunnableCodeTest, PyTorchRunsItAndGivesTheSame) {
  ir::Graph graph;
  const ir::NodeId x = graph.addPlaceholder("x");
  const ir::NodeId many =
      graph.addConstant("float", runtime::tensorConstant(at::arange(6, at::kFloat).view({2, 3}).t()));
  const ir::NodeId sum =
      graph.addOperator("aten::add.Tensor", {ir::nodeArgument(x), ir::nodeArgument(many), ir::Argument{int64_t{2}}});
  const ir::NodeId parts =
      graph.addOperator("aten::max.dim", {ir::nodeArgument(sum), ir::Argument{int64_t{0}}, ir::Argument{false}});
  const ir::NodeId most = graph.addElement(parts, 0), where = graph.addElement(parts, 1);
  graph.output = ir::nodeTuple({sum, most, where, -1});
  const PythonResult run = runPython(runtime::runnableCode(graph, {.name = "forward"}) +
                                     "\n\nx = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 0.5]])\n"
                                     "print([each if each is None else each.tolist() for each in forward(x)])\n");
  EXPECT_EQ(run.output, "[[[1.0, 8.0], [5.0, 12.0], [9.0, 10.5]], [9.0, 12.0], [2, 1], None]\n");
}

} // namespace
} // namespace touchstone::tests
