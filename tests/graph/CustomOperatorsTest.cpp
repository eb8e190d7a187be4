#include "program/evaluator/CaseOperators.h"
#include "program/language/StatementEditing.h"
#include "program/standalone/CaseFile.h"
#include "tests/graph/PythonComparison.h"

#include <ATen/ops/full.h>

#include <filesystem>
#include <optional>

namespace touchstone::tests {
namespace {

using comparison::ComparedCase;

const std::filesystem::path kFolder = TOUCHSTONE_SOURCE_DIR "/tests/cases/custom_operators";

std::string textOfOperator(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The operators and functions of each Case of the folder.
std::vector<ComparedCase> casesOfOperators() {
  std::vector<ComparedCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string text = textOfOperator(entry.path());
    const size_t begin = text.find("@torch.library");
    cases.push_back({entry.path().stem(), text.substr(begin, text.find("CALLS = ") - begin)});
  }
  return cases;
}

language::Case caseOfOperator(const std::string& definitions, const std::string& program) {
  return parser::parseDefinitions(definitions + "\n\ndef program(x):\n" + program);
}

TEST(CustomOperatorsTest, OperatorsOfACaseDoWhatPythonDoes) {
  const std::vector<ComparedCase> cases = casesOfOperators();
  EXPECT_GE(cases.size(), 28u);
  comparison::PythonComparison("operators", {{"folder", cases}}).compare("folder");
}

TEST(CustomOperatorsTest, OperatorsArePrintedAsTheyAreRead) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string text = textOfOperator(entry.path());
    const language::Case theCase = parser::parseCase(text);
    EXPECT_EQ(standalone::printCase(theCase, language::CaseForm::kShort), text) << entry.path();
    EXPECT_EQ(standalone::printCase(language::withoutUnusedFunctions(theCase), language::CaseForm::kShort), text);
  }
}

const char* const kScale =
    "@torch.library.custom_op(\"mine::scale\", mutates_args=())\n"
    "def scale(x: torch.Tensor) -> torch.Tensor:\n"
    "    return x * 2\n";

TEST(CustomOperatorsTest, CasesMayCallDifferentOperatorsTheSame) {
  const std::string other = std::string(kScale).replace(std::string(kScale).find("* 2"), 3, "* 5");
  const std::string call = "    return scale(x)\n";
  const language::Case two = caseOfOperator(kScale, call), five = caseOfOperator(other, call);
  const language::Case twoAgain = caseOfOperator(kScale, "    return scale(x) + 1\n");
  const at::Tensor ones = at::full({3}, 1.0);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(evaluator::Evaluator(two).call("program", {values::Value(ones)}).tensor().equal(ones * 2));
    EXPECT_TRUE(evaluator::Evaluator(five).call("program", {values::Value(ones)}).tensor().equal(ones * 5));
  }
  const auto operatorOf = [](const language::Case& theCase) {
    return evaluator::CaseOperators::of(theCase)->find("scale");
  };
  EXPECT_TRUE(operatorOf(two) == operatorOf(twoAgain));
  EXPECT_TRUE(operatorOf(two) != operatorOf(five));
}

TEST(CustomOperatorsTest, TheDispatcherDoesNotGrowWithTheCases) {
  const auto registered = [] {
    return c10::Dispatcher::singleton().getRegistrationsForDispatchKey(std::nullopt).size();
  };
  const at::Tensor ones = at::full({3}, 1.0);
  std::vector<size_t> sizes;
  for (int i = 0; i < 300; ++i) {
    const int by = i % 150; // a Case whose operators are those of others meanwhile gets its own again
    const std::string factor = "* " + std::to_string(by);
    const std::string made = std::string(kScale).replace(std::string(kScale).find("* 2"), 3, factor);
    const language::Case theCase = caseOfOperator(made, "    return scale(x)\n");
    EXPECT_TRUE(evaluator::Evaluator(theCase).call("program", {values::Value(ones)}).tensor().equal(ones * by));
    sizes.push_back(registered());
  }
  EXPECT_EQ(sizes.back(), sizes[100]);
}

TEST(CustomOperatorsTest, OperatorsMoveToNamespacesOfTheirOwn) {
  const language::Case theCase = caseOfOperator(kScale, "    return torch.ops.mine.scale(x) + scale(x)\n");
  const language::Case moved = language::withOperatorSpaces(theCase, "first");
  EXPECT_EQ(moved.customOperators.at(0).qualifiedName(), "mine_first::scale");
  EXPECT_EQ(language::printFunction(moved.program()),
            "def program(x):\n    return torch.ops.mine_first.scale(x) + scale(x)\n");
}

TEST(CustomOperatorsTest, ABackwardRunsWhenTheCaseAndItsEvaluatorAreGone) {
  at::Tensor x = at::full({3}, 2.0).set_requires_grad(true);
  at::Tensor y;
  {
    std::optional<language::Case> theCase =
        caseOfOperator(std::string(kScale) +
                           "\n\ndef setup(ctx, inputs, output):\n    ctx.save_for_backward(inputs[0])\n    ctx.n = 5\n"
                           "\n\ndef backward(ctx, g):\n    (x,) = ctx.saved_tensors\n    return g * x * ctx.n\n"
                           "\n\nscale.register_autograd(backward, setup_context=setup)\n",
                       "    return scale(x)\n");
    evaluator::Evaluator evaluator(*theCase);
    y = evaluator.call("program", {values::Value(x)}).tensor();
  }
  EXPECT_EQ(y.grad_fn()->name(), "GeneratedBackwardFor_mine_scale_defaultBackward");
  torch::autograd::backward({y.sum()}, {});
  EXPECT_TRUE(x.grad().equal(at::full({3}, 10.0)));
}

TEST(CustomOperatorsTest, ABodyIsWatchedAsTheProgramIs) {
  const language::Case theCase = caseOfOperator(kScale, "    return scale(x) + 1\n");
  std::vector<std::string> seen;
  evaluator::EvaluatorOptions options;
  options.onOperation = [&](const c10::OperatorHandle& op, torch::jit::Stack&) {
    seen.push_back(op.schema().name());
    return false;
  };
  evaluator::Evaluator(theCase, options).call("program", {values::Value(at::full({3}, 1.0))});
  EXPECT_EQ(seen, (std::vector<std::string>{"aten::mul", "aten::add"}));
  evaluator::EvaluatorOptions wide;
  wide.inDouble = true;
  const language::Case narrows =
      caseOfOperator(std::string(kScale).replace(std::string(kScale).find("x * 2"), 5, "x.to(torch.float32) + 0"),
                     "    return scale(x)\n");
  const values::Value result =
      evaluator::Evaluator(narrows, wide).call("program", {values::Value(at::full({1}, 1.0, at::kDouble))});
  EXPECT_EQ(result.tensor().scalar_type(), at::kDouble);
}

TEST(CustomOperatorsTest, ABodyThatDoesNotEndIsALimit) {
  const language::Case theCase = caseOfOperator(
      "@torch.library.custom_op(\"mine::endless\", mutates_args=())\n"
      "def endless(x: torch.Tensor) -> torch.Tensor:\n    while True:\n        pass\n    return x\n",
      "    return endless(x)\n");
  try {
    evaluator::Evaluator(theCase).call("program", {values::Value(at::full({1}, 1.0))});
    ADD_FAILURE() << "nothing was raised";
  } catch (const values::RaisedException& error) {
    EXPECT_TRUE(error.isLimit) << error.what();
  }
}

} // namespace
} // namespace touchstone::tests
