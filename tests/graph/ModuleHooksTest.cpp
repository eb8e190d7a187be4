#include "program/language/StatementEditing.h"
#include "program/standalone/CaseFile.h"
#include "tests/graph/PythonComparison.h"

#include <ATen/ops/full.h>

#include <filesystem>
#include <optional>

// Hooks of modules, and hooks on what is saved for a backward.

namespace touchstone::tests {
namespace {

using comparison::ComparedCase;

std::string textOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<ComparedCase> casesOf(const std::string& folder) {
  std::vector<ComparedCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(TOUCHSTONE_SOURCE_DIR "/tests/cases/" + folder)) {
    const std::string text = textOf(entry.path());
    const size_t begin = text.find("def ");
    cases.push_back({entry.path().stem(), text.substr(begin, text.find("CALLS = ") - begin)});
  }
  return cases;
}

void expectPrintedAsRead(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(TOUCHSTONE_SOURCE_DIR "/tests/cases/" + folder)) {
    const std::string text = textOf(entry.path());
    const language::Case theCase = parser::parseCase(text);
    EXPECT_EQ(standalone::printCase(theCase, language::CaseForm::kShort), text) << entry.path();
    EXPECT_EQ(standalone::printCase(language::withoutUnusedFunctions(theCase), language::CaseForm::kShort), text);
  }
}

/// A Case with these functions; `program(x)` calls a module that has `hook`.
language::Case caseWith(const std::string& functions, const std::string& hook) {
  return parser::parseCase("# touchstone: 1\nimport torch\n\n\n" + functions +
                           "\n\ndef inputs(seed, kind):\n    m = torch.nn.Identity()\n    m." + hook +
                           "\n    return (m,), ()\n\n\ndef program(m, x):\n    return m(x)\n\n\n"
                           "CALLS = [dict(inputs=\"inputs\")]\n");
}

} // namespace

TEST(ModuleHooksTest, HooksOfModulesDoWhatPythonDoes) {
  const std::vector<ComparedCase> cases = casesOf("module_hooks");
  EXPECT_GE(cases.size(), 25u);
  comparison::PythonComparison("module_hooks", {{"folder", cases}}).compare("folder");
}

TEST(ModuleHooksTest, HooksOnWhatIsSavedDoWhatPythonDoes) {
  const std::vector<ComparedCase> cases = casesOf("saved_tensors_hooks");
  EXPECT_GE(cases.size(), 20u);
  comparison::PythonComparison("saved_hooks", {{"folder", cases}}).compare("folder");
}

TEST(ModuleHooksTest, TheyArePrintedAsTheyAreRead) {
  expectPrintedAsRead("module_hooks");
  expectPrintedAsRead("saved_tensors_hooks");
}

TEST(ModuleHooksTest, AHookOnABackwardRunsWhenTheCaseAndItsEvaluatorAreGone) {
  const at::Tensor x = at::full({3}, 2.0).set_requires_grad(true);
  at::Tensor y;
  {
    std::optional<language::Case> theCase =
        caseWith("def triple(module, grad_input, grad_output):\n    return (grad_input[0] * 3,)\n",
                 "register_full_backward_hook(triple)");
    evaluator::Evaluator evaluator(*theCase);
    const values::ValueList inputs = evaluator.makeInputs("inputs", 7, "grid").arguments;
    y = evaluator.call("program", {inputs[0], values::Value(x)}).tensor();
  }
  torch::autograd::backward({y.sum()}, {});
  EXPECT_TRUE(x.grad().equal(at::full({3}, 3.0)));
}

TEST(ModuleHooksTest, AHookIsAFunctionOfTheFile) {
  const auto messageOf = [](const std::string& hook) {
    try {
      caseWith("def hook(module, args):\n    return None\n", hook);
    } catch (const parser::ParseError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(messageOf("register_forward_pre_hook(hook)"), "accepted");
  for (const char* wrong : {"other", "program", "", "hook, hook", "lambda module, args: None", "hook=hook"}) {
    EXPECT_NE(messageOf("register_forward_pre_hook(" + std::string(wrong) + ")")
                  .find("expected the name of one function of the file"),
              std::string::npos)
        << wrong;
  }
  EXPECT_NE(messageOf("register_module_hook(hook)").find("register_module_hook"), std::string::npos);
}

TEST(ModuleHooksTest, WhatPacksAndUnpacksIsTwoFunctionsOfTheFile) {
  const auto messageOf = [](const std::string& arguments) {
    try {
      parser::parseCase(
          "# touchstone: 1\nimport torch\n\n\ndef pack(t):\n    return t\n\n\ndef inputs(seed, kind):\n"
          "    return (), ()\n\n\ndef program():\n"
          "    with torch.autograd.graph.saved_tensors_hooks(" +
          arguments + "):\n        pass\n    return 1\n\n\nCALLS = [dict(inputs=\"inputs\")]\n");
    } catch (const parser::ParseError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(messageOf("pack, pack"), "accepted");
  for (const char* wrong : {"pack", "pack, 1", "pack, other", "pack, unpack_hook=pack"}) {
    EXPECT_NE(messageOf(wrong).find("expected the names of two functions of the file"), std::string::npos) << wrong;
  }
}

} // namespace touchstone::tests
