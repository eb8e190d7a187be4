#include "tests/graph/ComparedFolders.h"

#include <ATen/ops/full.h>

#include <optional>

namespace touchstone::tests {
namespace {

using comparison::ComparedCase;
using comparison::withUsualInputs;

// The usual uses of one function of the family: of a leaf, of an inner tensor, of one that needs no gradient.
std::vector<ComparedCase> usesOf(const std::string& name) {
  const bool takesTwo = language::customFunctionText(name).find("ctx, a, b") != std::string::npos;
  const std::string arguments = takesTwo ? "{0}, {1}" : "{0}";
  auto apply = [&](const std::string& first, const std::string& second) {
    return name + ".apply(" + fmt::format(fmt::runtime(arguments), first, second) + ")";
  };
  auto named = [&](const char* use, const std::string& body) { return withUsualInputs(name + "/" + use, body); };
  return {
      named("leaf", "    return " + apply("w", "x") + "\n"),
      named("inner", "    y = w * 2\n    return " + apply("y", "y + 1") + ", y\n"),
      named("noGradient", "    return " + apply("x", "x * 2") + ", x\n"),
      named("second", "    y = x + w\n    return " + apply("x.clone()", "y") + "\n"),
      named("noGrad", "    with torch.no_grad():\n        y = " + apply("w", "x") + "\n    return y\n"),
      named("view", "    y = x + w\n    return " + apply("y[0]", "w") + ", y\n"),
      named("thenInPlace", "    y = w * 2\n    r = " + apply("y", "x") +
                               "\n    if r is y:\n        return r\n    y.add_(1)\n    return r, y\n"),
      named("twice",
            "    y = w * 2\n    a = " + apply("y", "w") + "\n    b = " + apply("y", "w") + "\n    return a, b\n"),
      named("doubleBackward",
            "    y = w * w\n    r = " + apply("y", "w * 3") +
                "\n    if r is None:\n        return r\n    z = r[0]\n    (g,) = torch.autograd.grad(z.sum(), w, "
                "create_graph=True)\n    return g\n"),
  };
}

std::vector<ComparedCase> allUses() {
  std::vector<ComparedCase> cases;
  for (const std::string& name : language::customFunctionNames()) {
    for (ComparedCase& use : usesOf(name)) {
      cases.push_back(std::move(use));
    }
  }
  auto named = [](const char* name, const char* body) { return withUsualInputs(name, body); };
  cases.push_back(named("onlyFirst", "    a, b = KeepsNone.apply(w)\n    return a\n"));
  cases.push_back(named("onlySecond", "    a, b = KeepsNone.apply(w)\n    return b\n"));
  cases.push_back(named("onlyOneOfTwo", "    a, b = TwoInputsTwoOutputs.apply(w, x)\n    return b\n"));
  cases.push_back(named("savedChanged", "    y = w * 2\n    z = SavesInput.apply(y)\n    y.add_(1)\n    return z\n"));
  cases.push_back(named("savedOutputChanged", "    z = SavesOutput.apply(w)\n    z.add_(1)\n    return z\n"));
  cases.push_back(
      named("backwardTwice", "    y = SavesInput.apply(w).sum()\n    y.backward()\n    y.backward()\n    return y\n"));
  cases.push_back(named("dirtyIdentity", "    y = w * 2\n    z = MarksDirty.apply(y)\n    return z is y, z, y\n"));
  cases.push_back(named("viewChanged", "    y = ReturnsView.apply(x + w)\n    y.mul_(2)\n    return y\n"));
  cases.push_back(named("inputChanged", "    y = ReturnsInput.apply(x + w)\n    y.mul_(2)\n    return y\n"));
  cases.push_back(named("tooFew", "    return TwoInputsTwoOutputs.apply(w)\n"));
  cases.push_back(named("tooMany", "    return Identity.apply(w, x)\n"));
  cases.push_back(named("integers", "    return Scaled.apply(n)\n"));
  return cases;
}

/// A Case with one class; `program(x)` applies it.
language::Case caseOfClass(const std::string& methods) {
  return parser::parseCase("# touchstone: 1\nimport torch\n\n\nclass F(torch.autograd.Function):\n" + methods +
                           "\n\ndef inputs(seed, kind):\n    return (), ()\n\n\n"
                           "def program(x):\n    return F.apply(x)\n\n\nCALLS = [dict(inputs=\"inputs\")]\n");
}

TEST(CustomFunctionsTest, ClassesOfACaseDoWhatPythonDoes) {
  const std::vector<ComparedCase> cases = comparison::casesOfFolder("custom_functions");
  EXPECT_GE(cases.size(), 30u);
  comparison::PythonComparison("own", {{"folder", cases}}).compare("folder");
}

TEST(CustomFunctionsTest, ClassesArePrintedAsTheyAreRead) {
  comparison::expectPrintedAsRead("custom_functions");
}

TEST(CustomFunctionsTest, TheImportedDecoratorIsPrintedWithItsWholeName) {
  const std::string text =
      comparison::textOf(TOUCHSTONE_SOURCE_DIR "/tests/cases/custom_functions/differentiated_once.py");
  std::string imported = text;
  const std::string whole = language::kOnceDifferentiable, line = "import torch\n";
  imported.replace(imported.find(whole), whole.size(), "once_differentiable");
  EXPECT_THROW(parser::parseCase(imported), parser::ParseError);
  imported.insert(imported.find(line) + line.size(), "from torch.autograd.function import once_differentiable\n");
  EXPECT_EQ(standalone::printCase(parser::parseCase(imported), language::CaseForm::kShort), text);
}

TEST(CustomFunctionsTest, ABackwardRunsWhenTheCaseAndItsEvaluatorAreGone) {
  at::Tensor x = at::full({3}, 2.0).set_requires_grad(true);
  at::Tensor y;
  {
    std::optional<language::Case> theCase = caseOfClass(
        "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        ctx.n = 5\n"
        "        return x * 1\n\n"
        "    @staticmethod\n    def backward(ctx, g):\n        (x,) = ctx.saved_tensors\n"
        "        return g * x * ctx.n\n");
    evaluator::Evaluator evaluator(*theCase);
    y = evaluator.call("program", {values::Value(x)}).tensor();
  }
  EXPECT_EQ(y.grad_fn()->name(), "FBackward");
  torch::autograd::backward({y.sum()}, {});
  EXPECT_TRUE(x.grad().equal(at::full({3}, 10.0)));
}

TEST(CustomFunctionsTest, ABackwardThatDoesNotEndIsALimit) {
  const language::Case theCase = caseOfClass(
      "    @staticmethod\n    def forward(ctx, x):\n        return x * 1\n\n"
      "    @staticmethod\n    def backward(ctx, g):\n        while True:\n            pass\n        return g\n");
  const at::Tensor x = at::full({3}, 2.0).set_requires_grad(true);
  const at::Tensor y = evaluator::Evaluator(theCase).call("program", {values::Value(x)}).tensor();
  try {
    torch::autograd::backward({y.sum()}, {});
    ADD_FAILURE() << "nothing was raised";
  } catch (const values::RaisedException& error) {
    EXPECT_TRUE(error.isLimit) << error.message();
  }
}

TEST(CustomFunctionsTest, doWhatTheirTextsDo) {
  comparison::PythonComparison("custom", {{"uses", allUses()}}).compare("uses");
}

} // namespace
} // namespace touchstone::tests
