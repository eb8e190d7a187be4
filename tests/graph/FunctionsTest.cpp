#include "tests/graph/ComparedFolders.h"

#include <ATen/ops/full.h>

#include <optional>

namespace touchstone::tests {
namespace {

TEST(FunctionsTest, FunctionsAsValuesDoWhatPythonDoes) {
  const std::vector<comparison::ComparedCase> cases = comparison::casesOfFolder("functions");
  EXPECT_GE(cases.size(), 25u);
  comparison::PythonComparison("functions", {{"folder", cases}}).compare("folder");
}

TEST(FunctionsTest, FunctionsInsideOthersArePrintedAsTheyAreRead) {
  comparison::expectPrintedAsRead("functions");
}

/// A Case whose program is this.
language::Case caseOf(const std::string& program) {
  return parser::parseCase("# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n    return (), ()\n\n\n" +
                           program + "\n\nCALLS = [dict(inputs=\"inputs\")]\n");
}

TEST(FunctionsTest, AHookThatKnowsVariablesRunsWhenTheEvaluatorIsGone) {
  at::Tensor x = at::full({3}, 2.0).set_requires_grad(true);
  at::Tensor y;
  {
    std::optional<language::Case> theCase = caseOf(
        "def program(x):\n    scale = 5\n    y = x * 1\n    y.register_hook(lambda g: g * scale)\n    return y\n");
    y = evaluator::Evaluator(*theCase).call("program", {values::Value(x)}).tensor();
  }
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(at::full({3}, 5.0)));
}

TEST(FunctionsTest, FunctionsThatKnowEachOtherAreLetGo) {
  const language::Case theCase = caseOf(
      "def program(x):\n    f = lambda: x\n\n    def g():\n        return f() + 1\n\n    def h():\n        return g()\n\n"
      "    return h()\n");
  evaluator::Evaluator evaluator(theCase);
  const at::Tensor x = at::full({3}, 2.0);
  EXPECT_TRUE(evaluator.call("program", {values::Value(x)}).tensor().equal(x + 1));
  EXPECT_EQ(x.use_count(), 1u);
}

TEST(FunctionsTest, VariablesThatNoFunctionKnowsAreLetGo) {
  const language::Case theCase = caseOf("def program(x, y):\n    f = lambda: y\n    return f\n");
  evaluator::Evaluator evaluator(theCase);
  const at::Tensor x = at::full({3}, 2.0), y = at::full({3}, 3.0);
  const values::Value returned = evaluator.call("program", {values::Value(x), values::Value(y)});
  EXPECT_EQ(x.use_count(), 1u);
  EXPECT_EQ(y.use_count(), 2u);
  EXPECT_TRUE(returned.as<values::FunctionPtr>()->call({}, {}).tensor().is_same(y));
}

std::string refusalOf(const std::string& program) {
  try {
    caseOf(program);
  } catch (const parser::ParseError& error) {
    return error.message();
  }
  return "";
}

TEST(FunctionsTest, WhatIsNoPartOfTheLanguageIsRefusedAtItsPlace) {
  const std::vector<std::pair<const char*, const char*>> refused = {
      {"def program(x):\n    def f(y):\n        return z\n\n    return f(x)\n", "`z` is read but nothing was assigned"},
      {"def program(x):\n    def f(y):\n        nonlocal z\n        return y\n\n    return f(x)\n",
       "`z` is no variable"},
      {"def program(x):\n    z = 1\n    def f(z):\n        nonlocal z\n        return z\n\n    return f(x)\n",
       "bound in this function before"},
      {"def program(x):\n    break\n", "`break` is outside a loop"},
      {"def program(x):\n    return (y for y in x)\n", "a generator is refused here"},
      {"def program(x):\n    return torch.stack(y for y in x)\n", "a generator is refused here"},
      {"def program(x):\n    return f\n\n\ndef f(x=[]):\n    return x\n", "is a literal"},
      {"def program(x):\n    return (lambda y=1, z: y)(x)\n", "without a default value follows"},
      {"def program(x):\n    def f(*a, b):\n        return b\n\n    return f(x)\n", "a parameter after `*a`"},
      {"def program(x):\n    return (lambda __x: __x)(x)\n", "begin with `__`"},
      {"def program(x):\n    return [y.__class__ for y in x]\n", "begin with `__`"},
      {"def program(x):\n    return (lambda print: print)(x)\n", "has a meaning of its own"},
      {"def program(x: eval):\n    return x\n", "is no type of the language"},
      {"def program(x):\n    assert x.dim(), x\n    return x\n", "a text"},
  };
  for (const auto& [program, reason] : refused) {
    EXPECT_NE(refusalOf(program).find(reason), std::string::npos) << program << refusalOf(program);
  }
}

} // namespace
} // namespace touchstone::tests
