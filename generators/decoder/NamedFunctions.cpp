#include "generators/decoder/NamedFunctions.h"

#include "generators/decoder/DrawnOperators.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <string>
#include <vector>

namespace touchstone::decoder {

using language::Case;

namespace {

/// Of tensors and of modules.
constexpr std::string_view kHookTexts[] = {
    "def double_gradient(g):\n    return g * 2\n",
    "def negate_gradient(g):\n    return -g\n",
    "def scale_output(module, args, output):\n    return output * 2\n",
    "def add_argument(module, args, output):\n    return output + args[0]\n",
    "def halve_argument(module, args):\n    return (args[0] * 0.5,)\n",
    "def scale_gradient(module, grad_input, grad_output):\n    return (grad_input[0] * 3,)\n",
    "def negate_gradients(module, grad_output):\n    return (-grad_output[0],)\n"};

/// What Programs register as hooks.
const std::vector<language::Function>& hookFunctions() {
  static const std::vector<language::Function> kFunctions = [] {
    std::vector<language::Function> functions;
    for (const std::string_view text : kHookTexts) {
      functions.push_back(parser::parseFunction(std::string(text)));
    }
    return functions;
  }();
  return kFunctions;
}

/// The family of custom autograd functions.
const std::vector<language::CustomFunction>& customFunctions() {
  static const std::vector<language::CustomFunction> kFunctions = [] {
    std::vector<language::CustomFunction> functions;
    for (const std::string& name : language::customFunctionNames()) {
      functions.push_back(parser::parseCustomFunction(language::customFunctionText(name)));
    }
    return functions;
  }();
  return kFunctions;
}

} // namespace

void addNamedFunctions(Case& theCase, std::optional<uint64_t> operators) {
  if (operators) {
    theCase.customOperators = drawnOperators(*operators);
  }
  theCase.customFunctions = customFunctions();
  const std::vector<language::Function>& hooks = hookFunctions();
  theCase.functions.insert(theCase.functions.end(), hooks.begin(), hooks.end());
}

} // namespace touchstone::decoder
