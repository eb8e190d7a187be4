#include "program/parser/LanguageNames.h"

#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"
#include "program/values/RaisedException.h"
#include "tests/graph/PythonProcess.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <string>

namespace touchstone::tests {
namespace {

language::Case fragment() {
  return parser::parseCase(
      "# touchstone: 1\nimport torch\ndef inputs(seed, kind):\n    return (), ()\n"
      "def program():\n    return 1\nCALLS = [dict(inputs=\"inputs\")]\n");
}

// Every name that the parser lets through means something to the evaluator.
TEST(LanguageNamesTest, TheEvaluatorKnowsEveryAttribute) {
  const language::Case theCase = fragment();
  evaluator::Evaluator evaluator(theCase);
  for (const std::string& name : parser::kTensorAttributes) {
    const bool ofDtype = name == "is_complex" || name == "is_floating_point";
    evaluator::Environment environment;
    environment.names["x"] = values::Value(at::ones({2, 2}, at::TensorOptions(at::kComplexFloat)));
    const std::string text = std::string(ofDtype ? "x.dtype." : "x.") + name;
    EXPECT_NO_THROW(evaluator.evaluate(*parser::parseExpression(text), environment)) << text;
  }
}

TEST(LanguageNamesTest, TheEvaluatorKnowsEveryConstant) {
  const language::Case theCase = fragment();
  evaluator::Evaluator evaluator(theCase);
  for (const std::string& name : parser::kTorchConstants) {
    evaluator::Environment environment;
    EXPECT_NO_THROW(evaluator.evaluate(*parser::parseExpression("torch." + name), environment)) << name;
  }
}

TEST(LanguageNamesTest, PythonKnowsEveryName) {
  std::string script = "import torch\nx = torch.ones(2, 2, dtype=torch.complex64)\n";
  for (const std::string& name : parser::kTorchConstants) {
    script += "torch." + name + "\n";
  }
  for (const std::string& name : parser::kTensorAttributes) {
    script += "hasattr(x, \"" + name + "\") or x.dtype." + name + "\n";
  }
  for (const std::string& name : parser::kModuleConstructors) {
    script += "torch.nn." + name + "\n";
  }
  const PythonResult result = runPython(script);
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST(LanguageNamesTest, ModulesAreBuiltByEveryConstructorThatIsListed) {
  const language::Case theCase = fragment();
  for (const std::string& name : parser::kModuleConstructors) {
    evaluator::Evaluator evaluator(theCase);
    evaluator::Environment environment;
    environment.names["x"] = values::Value(at::ones({2}));
    try {
      evaluator.evaluate(*parser::parseExpression("torch.nn." + name + (name == "Parameter" ? "(x)" : "()")),
                         environment);
    } catch (const values::RaisedException& error) {
      // Arguments may be missing, the constructor may not.
      EXPECT_EQ(error.type(), "TypeError") << name << ": " << error.message();
    }
  }
}

} // namespace
} // namespace touchstone::tests
