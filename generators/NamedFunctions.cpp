#include "generators/NamedFunctions.h"

#include "graph/program/CasePrinter.h"

#include <set>
#include <string>
#include <vector>

namespace touchstone::generators {

using graph::Case;

namespace {

/// What Programs register as hooks.
std::vector<graph::Function> hookFunctions() {
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

} // namespace

void addNamedFunctions(Case& theCase) {
  theCase.customFunctions = graph::customFunctionNames();
  const std::vector<graph::Function> hooks = hookFunctions();
  theCase.functions.insert(theCase.functions.end(), hooks.begin(), hooks.end());
}

void dropUnusedFunctions(Case& theCase) {
  std::set<std::string> named;
  for (const graph::Function& function : theCase.functions) {
    for (const graph::StatementPtr& statement : function.body) {
      const std::vector<std::string> names = graph::namesRead(*statement);
      named.insert(names.begin(), names.end());
    }
  }
  std::erase_if(theCase.customFunctions, [&](const std::string& name) { return !named.contains(name); });
  for (const graph::Function& hook : hookFunctions()) {
    std::erase_if(theCase.functions, [&](const graph::Function& function) {
      return function.name == hook.name && !named.contains(hook.name);
    });
  }
}

} // namespace touchstone::generators
