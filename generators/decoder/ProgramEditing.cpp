#include "generators/decoder/ProgramEditing.h"

#include "program/analysis/NameFlow.h"
#include "program/language/StatementEditing.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <iterator>

namespace touchstone::decoder {

using language::ExprPtr;
using language::Function;

Function* programOf(language::Case& theCase) {
  const auto found = std::find_if(theCase.functions.begin(), theCase.functions.end(),
                                  [](const Function& each) { return each.name == "program"; });
  return found == theCase.functions.end() ? nullptr : &*found;
}

void addDefinitions(language::Case& theCase, const std::string& text) {
  language::Case made = parser::parseDefinitions(text);
  std::ranges::move(made.classes, std::back_inserter(theCase.classes));
  theCase.functions.insert(theCase.functions.begin(), std::make_move_iterator(made.functions.begin()),
                           std::make_move_iterator(made.functions.end()));
}

std::string boundName(const language::Statement& statement) {
  const bool isPlain = statement.kind == language::StatementKind::kAssign && statement.targets.size() == 1 &&
                       statement.targets[0]->kind == language::ExprKind::kName;
  return isPlain ? statement.targets[0]->text : "";
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
