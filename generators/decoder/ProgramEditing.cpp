#include "generators/decoder/ProgramEditing.h"

#include "program/language/StatementEditing.h"

#include <algorithm>

namespace touchstone::generators {

using graph::ExprPtr;
using graph::Function;

Function* programOf(graph::Case& theCase) {
  const auto found = std::find_if(theCase.functions.begin(), theCase.functions.end(),
                                  [](const Function& each) { return each.name == "program"; });
  return found == theCase.functions.end() ? nullptr : &*found;
}

graph::StatementPtr withNames(const graph::StatementPtr& statement, const std::map<std::string, std::string>& names) {
  Function alone;
  alone.body = {statement};
  return graph::rewriteExpressions(alone,
                                   [&](const ExprPtr& expr) -> ExprPtr {
                                     if (expr->kind != graph::ExprKind::kName) {
                                       return nullptr;
                                     }
                                     const auto found = names.find(expr->text);
                                     return found == names.end() ? nullptr : graph::makeName(found->second);
                                   })
      .body.front();
}

} // namespace touchstone::generators
