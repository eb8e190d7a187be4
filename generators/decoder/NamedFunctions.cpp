#include "generators/decoder/NamedFunctions.h"

#include "program/language/CasePrinter.h"

#include <string>
#include <vector>

namespace touchstone::generators {

using graph::Case;

namespace {

std::vector<graph::Function> makeHookFunctions() {
  const graph::ExprPtr gradient = graph::makeName("g");
  const auto hook = [&](std::string name, const graph::ExprPtr& result) {
    graph::Function function;
    function.name = std::move(name);
    function.parameters = {"g"};
    function.body = {graph::makeReturn(result)};
    return function;
  };
  return {hook("double_gradient", graph::makeBinary("*", gradient, graph::makeInt(2))),
          hook("negate_gradient", graph::makeUnary("-", gradient))};
}

/// What Programs register as hooks.
const std::vector<graph::Function>& hookFunctions() {
  static const std::vector<graph::Function> kHooks = makeHookFunctions();
  return kHooks;
}

} // namespace

void addNamedFunctions(Case& theCase) {
  theCase.customFunctions = graph::customFunctionNames();
  const std::vector<graph::Function>& hooks = hookFunctions();
  theCase.functions.insert(theCase.functions.end(), hooks.begin(), hooks.end());
}

} // namespace touchstone::generators
