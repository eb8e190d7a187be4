#include "generators/decoder/NamedFunctions.h"

#include "generators/decoder/DrawnOperators.h"
#include "program/language/CasePrinter.h"
#include "program/parser/CaseParser.h"

#include <string>
#include <vector>

namespace touchstone::decoder {

using language::Case;

namespace {

std::vector<language::Function> makeHookFunctions() {
  const language::ExprPtr gradient = language::makeName("g");
  const auto hook = [&](std::string name, const language::ExprPtr& result) {
    language::Function function;
    function.name = std::move(name);
    function.parameters = {"g"};
    function.body = {language::makeReturn(result)};
    return function;
  };
  return {hook("double_gradient", language::makeBinary("*", gradient, language::makeInt(2))),
          hook("negate_gradient", language::makeUnary("-", gradient))};
}

/// What Programs register as hooks.
const std::vector<language::Function>& hookFunctions() {
  static const std::vector<language::Function> kHooks = makeHookFunctions();
  return kHooks;
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
