#include "graph/ir/Unsupported.h"
#include "program/language/PythonConstructs.h"
#include "tests/graph/ComparedFolders.h"

namespace touchstone::tests {
namespace {

TEST(ControlFlowTest, ControlFlowDoesWhatPythonDoes) {
  const std::vector<comparison::ComparedCase> cases = comparison::casesOfFolder("control_flow");
  EXPECT_GE(cases.size(), 60u);
  comparison::PythonComparison("control_flow", {{"folder", cases}}).compare("folder");
}

TEST(ControlFlowTest, ControlFlowIsPrintedAsItIsRead) {
  comparison::expectPrintedAsRead("control_flow");
}

TEST(ControlFlowTest, WhatTheEvaluatorRunsNeedsNoPython) {
  for (const auto& entry : comparison::filesOf("control_flow")) {
    EXPECT_TRUE(language::needsPython(parser::parseCase(comparison::textOf(entry.path()))).empty()) << entry.path();
  }
}

language::Case caseThatReturns(const std::string& value, const std::string& before = "") {
  return parser::parseCase(
      "# touchstone: 1\nimport torch\nimport torch._higher_order_ops\n\n\n"
      "def twice(a):\n    return a * 2\n\n\n"
      "def inputs(seed, kind):\n"
      "    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()\n"
      "    return (x,), ()\n\n\n"
      "def program(x):\n" +
      (before.empty() ? "" : "    " + before + "\n") + "    return " + value +
      "\n\n\nCALLS = [dict(inputs=\"inputs\")]\n");
}

std::vector<std::string> constructsOf(const std::string& value, const std::string& before = "") {
  return language::needsPython(caseThatReturns(value + " + torch._higher_order_ops.map(twice, x)", before));
}

TEST(ControlFlowTest, OtherFunctionsNeedPython) {
  const std::vector<std::string> needed = {"torch.cond"};
  EXPECT_EQ(constructsOf("torch.cond(x.sum() > 0, twice, lambda a: a + 1, (x,))"), std::vector<std::string>());
  EXPECT_EQ(constructsOf("torch.cond(x.sum() > 0, twice, f, (x,))", "f = twice"), needed);
  EXPECT_EQ(constructsOf("torch.cond(x.sum() > 0, twice, lambda a: m(a), (x,))", "m = torch.nn.ReLU()"), needed);
  EXPECT_EQ(constructsOf("torch.cond(x.sum() > 0, twice, lambda a: a * a.sum().item(), (x,))"), needed);
  EXPECT_EQ(constructsOf("torch.cond(x.sum() > 0, *[twice, twice, (x,)])"), needed);
}

TEST(ControlFlowTest, WhatPyTorchTakesAndTheEvaluatorDoesNotIsUnsupported) {
  const auto run = [](const std::string& value, const std::string& before = "") {
    const language::Case theCase = caseThatReturns(value, before);
    evaluator::Evaluator evaluator(theCase);
    evaluator.call("program", evaluator.makeInputs("inputs", 7, "grid").arguments);
  };
  const std::string up = "torch.cond(x.sum() > 0, twice, ";
  EXPECT_NO_THROW(run(up + "lambda a: a + 1, (x,))"));
  EXPECT_THROW(run(up + "lambda a: a[:2] * 3, (x,))"), ir::Unsupported);
  EXPECT_THROW(run("torch.cond(x.sum() > 0, lambda a: (a * 2, 1), lambda a: (a * 3, 1), (x,))"), ir::Unsupported);
  EXPECT_THROW(run(up + "lambda a: a * m.weight, (x,))", "m = torch.nn.Linear(2, 3)"), ir::Unsupported);
  EXPECT_THROW(run("torch.vmap(lambda b: " + up + "lambda a: a + 1, (b,)))(x)"), ir::Unsupported);
  EXPECT_THROW(
      run("torch.autograd.grad(torch._higher_order_ops.map(lambda a: a.sin(), x).sum(), x, create_graph=True)"),
      ir::Unsupported);
  EXPECT_THROW(run("torch.while_loop(lambda n, z: n < 3, lambda n, z: (n + 1, z * 2), (0, x))"), ir::Unsupported);
}

TEST(ControlFlowTest, ALoopWithoutEndIsALimit) {
  const language::Case theCase =
      caseThatReturns("torch.while_loop(lambda z: z.sum() < 9, lambda z: (z * 1,), (y,))", "y = torch.zeros(2)");
  evaluator::Evaluator evaluator(theCase);
  try {
    evaluator.call("program", evaluator.makeInputs("inputs", 7, "grid").arguments);
    FAIL() << "it has ended";
  } catch (const values::RaisedException& raised) {
    EXPECT_TRUE(raised.isLimit) << raised.message();
  }
}

} // namespace
} // namespace touchstone::tests
