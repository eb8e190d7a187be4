#include "generators/decoder/ProgramEditing.h"

#include "program/analysis/NameFlow.h"
#include "program/language/StatementEditing.h"

#include <algorithm>

namespace touchstone::decoder {

using language::ExprPtr;
using language::Function;

Function* programOf(language::Case& theCase) {
  const auto found = std::find_if(theCase.functions.begin(), theCase.functions.end(),
                                  [](const Function& each) { return each.name == "program"; });
  return found == theCase.functions.end() ? nullptr : &*found;
}

language::StatementPtr definitionOf(language::Function function) {
  language::Statement definition{};
  definition.kind = language::StatementKind::kDef;
  definition.function = std::make_shared<const language::Function>(std::move(function));
  return std::make_shared<const language::Statement>(std::move(definition));
}

bool writesToTensors(const language::StatementPtr& statement) {
  const std::vector<analysis::StatementFlow> flow = analysis::flowOf({statement});
  return std::any_of(flow.begin(), flow.end(), [](const analysis::StatementFlow& each) { return each.mutates(); });
}

language::StatementPtr withNames(const language::StatementPtr& statement,
                                 const std::map<std::string, std::string>& names) {
  Function alone;
  alone.body = {statement};
  return language::rewriteExpressions(alone,
                                      [&](const ExprPtr& expr) -> language::ExprPtr {
                                        if (expr->kind != language::ExprKind::kName) {
                                          return nullptr;
                                        }
                                        const auto found = names.find(expr->text);
                                        return found == names.end() ? nullptr : language::makeName(found->second);
                                      })
      .body.front();
}

} // namespace touchstone::decoder
