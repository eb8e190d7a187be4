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
  // What fake tensors give a dimension of size 1 depends on the operator, and branches have to be alike.
  const std::string turned = "torch.cond(t.sum() > 0, lambda a: a * 0, lambda a: a.clone(), (t,))";
  EXPECT_THROW(run(turned, "t = torch.ones(1, 3).mT"), ir::Unsupported);
  EXPECT_NO_THROW(run(turned, "t = torch.ones(3, 1)"));
}

void run(const language::Case& theCase) {
  evaluator::Evaluator evaluator(theCase);
  evaluator.call("program", evaluator.makeInputs("inputs", 7, "grid").arguments);
}

TEST(ControlFlowTest, WhatIsTracedOtherwiseThanItRunsIsUnsupported) {
  const std::string up = "torch.cond(x.sum() > 0, ", map = "torch._higher_order_ops.map(";
  const std::vector<std::string> otherwise = {
      up + "lambda a: a[a > 0], lambda a: a[a < 0], (x,))",
      up + "lambda a: a[a.sum() > 0], lambda a: a[a.sum() < 0], (x,))",
      "torch.while_loop(lambda n, t: n < 0, lambda n, t: (n + 1, t.masked_select(t > 0)), (y, x))",
      up + "lambda a: torch.cond(a.sum() > 0, lambda b: b.real.sin(), twice, (a,)), twice, (x,))",
      up + "lambda a: torch.cond(a.sum() > 0, lambda: a.mT.sin(), lambda: a.mT * 2), lambda a: a.mT.sin(), (x,))",
      up + "lambda a: a @ a.mT, lambda a: a @ a.mT, (x,))",
      up + "lambda a: a.mT @ a.mT.mT, twice, (x,))",
      up + "lambda a: a.max(), lambda a: a.sum(), (x,))",
      up + "lambda a: a.prod(), lambda a: a.sum(), (x,))",
      map + "lambda t: None, x)",
  };
  for (const std::string& each : otherwise) {
    EXPECT_THROW(run(caseThatReturns(each, "y = torch.zeros(())")), ir::Unsupported) << each;
  }
  const std::vector<std::string> alike = {
      up + "lambda a: a[[0, 1]], lambda a: a[:2] * 2, (x,))",
      up + "lambda a: torch.cond(a.sum() > 0, lambda b: (b * 2).real.sin(), twice, (a,)), twice, (x,))",
      up + "lambda a: a.mT.sin(), lambda a: a.mT * 2, (x,))",
      up + "lambda a: a.max(0)[0], lambda a: a.sum(0), (x,))",
      up + "lambda a: a.prod(), lambda a: a.sum(), (x.detach(),))",
  };
  for (const std::string& each : alike) {
    EXPECT_NO_THROW(run(caseThatReturns(each))) << each;
  }
}

TEST(ControlFlowTest, ACustomFunctionThatIsGivenATensorTwiceIsNotTraced) {
  const auto caseOf = [](const std::string& operand) {
    return parser::parseCase(
        "# touchstone: 1\nimport torch\n\n\nclass Own(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, a, b):\n        return a * b\n\n    @staticmethod\n    def backward(ctx, g):\n"
        "        return g, g\n\n\ndef inputs(seed, kind):\n"
        "    x = data((2,), torch.float32, (seed, 0), kind).requires_grad_()\n    return (x,), ()\n\n\n"
        "def program(x):\n    return torch.cond(x.sum() > 0, lambda a: Own.apply(a, a), lambda a: a * 2, (" +
        operand + ",))\n\n\nCALLS = [dict(inputs=\"inputs\")]\n");
  };
  EXPECT_THROW(run(caseOf("x")), ir::Unsupported);
  EXPECT_NO_THROW(run(caseOf("x.detach()")));
}

std::string raisedBy(const std::string& value, const std::string& before = "") {
  try {
    run(caseThatReturns(value, before));
  } catch (const values::RaisedException& raised) {
    return raised.type();
  } catch (...) {
    return values::currentException().type();
  }
  return "";
}

TEST(ControlFlowTest, WhatIsRaisedWhereItIsTraced) {
  const std::string up = "torch.cond(x.sum() > 0, ", refused = "UncapturedHigherOrderOpError";
  EXPECT_EQ(raisedBy(up + "lambda: x, twice)"), refused);
  EXPECT_EQ(raisedBy(up + "lambda a: twice(), twice, (x,))"), refused);
  EXPECT_EQ(raisedBy("torch._higher_order_ops.map(lambda t: t.abs(), y)", "y = torch.complex(x, x)"), "RuntimeError");
  EXPECT_EQ(raisedBy("torch._higher_order_ops.map(lambda t: t.abs(), y.detach())", "y = torch.complex(x, x)"), "");
  const std::string shifted = "lambda a: torch.cat([a, a])[1:-1]", row = "x.flatten()[:2]";
  const std::string inside = "lambda a: torch.cond(a.sum() > 0, " + shifted + ", " + shifted + ", (a,))";
  EXPECT_EQ(raisedBy(up + shifted + ", " + shifted + ", (" + row + ",))"), "");
  EXPECT_EQ(raisedBy(up + inside + ", " + inside + ", (" + row + ",))"), "");
  EXPECT_EQ(raisedBy(up + shifted + ", " + inside + ", (" + row + ",))"), "RuntimeError");
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
