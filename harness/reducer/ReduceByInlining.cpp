#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/CasePrinter.h"
#include "program/language/StatementEditing.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

// What stands elsewhere comes to where it is used: functions, custom functions, fields of module records, values of names.

namespace touchstone::reducer {

namespace {

using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

constexpr size_t kWidestStatement = 90; // of what names become part of

bool isNamed(const language::Expr& expr, const std::string& name) {
  return expr.kind == ExprKind::kName && expr.text == name;
}

size_t timesRead(const language::Function& function, const std::string& name) {
  size_t count = 0;
  for (const StatementPtr& statement : function.body) {
    forEachNameRead(*statement, [&](const std::string& read) { count += read == name ? 1 : 0; });
  }
  return count;
}

std::set<std::string> localsOf(const language::Function& function) {
  std::set<std::string> names(function.parameters.begin(), function.parameters.end());
  for (const StatementPtr& statement : function.body) {
    for (const std::string& name : language::namesWritten(*statement)) {
      names.insert(name);
    }
  }
  return names;
}

/// The call `function(…)` with plain arguments inside a simple statement, or null.
ExprPtr callOf(const Statement& statement, const std::string& function) {
  ExprPtr found;
  if (!statement.body.empty() || statement.value == nullptr) {
    return found;
  }
  language::Function alone;
  alone.body = {language::makeExpressionStatement(statement.value)};
  rewriteExpressions(alone, [&](const ExprPtr& expr) -> language::ExprPtr {
    if (expr->kind == ExprKind::kCall && isNamed(*expr->children[0], function) && expr->keywords.empty() &&
        std::none_of(expr->children.begin(), expr->children.end(),
                     [](const ExprPtr& child) { return child->kind == ExprKind::kStarred; })) {
      found = expr;
    }
    return nullptr;
  });
  return found;
}

StatementPtr withRenamed(const StatementPtr& statement, const std::map<std::string, std::string>& names) {
  language::Function alone;
  alone.body = {statement};
  return rewriteExpressions(alone,
                            [&](const ExprPtr& expr) {
                              const auto found = expr->kind == ExprKind::kName ? names.find(expr->text) : names.end();
                              return found != names.end() ? language::makeName(found->second) : nullptr;
                            })
      .body[0];
}

StatementPtr withReplaced(const StatementPtr& statement, const std::function<bool(const language::Expr&)>& isOld,
                          const ExprPtr& replacement) {
  language::Function alone;
  alone.body = {statement};
  return rewriteExpressions(alone, [&](const ExprPtr& expr) { return isOld(*expr) ? replacement : nullptr; }).body[0];
}

/// The statements of `callee` for the call in `statement`, and that statement with what they return; none when it returns
/// in another place than its end.
std::optional<std::vector<StatementPtr>> expanded(const language::Function& callee, const language::Function& caller,
                                                  const StatementPtr& statement, const ExprPtr& call) {
  const std::vector<StatementPtr> statements = allStatements(callee);
  const auto returns = std::count_if(statements.begin(), statements.end(),
                                     [](const StatementPtr& each) { return each->kind == StatementKind::kReturn; });
  const bool returnsAtEnd = !callee.body.empty() && callee.body.back()->kind == StatementKind::kReturn;
  if (returns > (returnsAtEnd ? 1 : 0) || call->children.size() != callee.parameters.size() + 1) {
    return std::nullopt;
  }
  std::set<std::string> taken = localsOf(caller);
  std::map<std::string, std::string> names;
  std::vector<StatementPtr> result;
  std::set<std::string> written;
  for (const StatementPtr& each : callee.body) {
    for (const std::string& name : language::namesWritten(*each)) {
      written.insert(name);
    }
  }
  const auto nameFor = [&](const std::string& local) {
    std::string name = local;
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = local + "_" + std::to_string(number);
    }
    return names[local] = name;
  };
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    const ExprPtr& argument = call->children[i + 1];
    if (argument->kind == ExprKind::kName && written.count(callee.parameters[i]) == 0) {
      names[callee.parameters[i]] = argument->text;
    } else {
      result.push_back(language::makeAssign({language::makeName(nameFor(callee.parameters[i]))}, argument));
    }
  }
  for (const std::string& local : written) {
    if (names.count(local) == 0) {
      nameFor(local);
    }
  }
  ExprPtr returned = language::makeNone();
  for (const StatementPtr& each : callee.body) {
    const StatementPtr renamed = withRenamed(each, names);
    if (each->kind != StatementKind::kReturn) {
      result.push_back(renamed);
    } else if (renamed->value != nullptr) {
      returned = renamed->value;
    }
  }
  const bool onItsOwn = statement->kind == StatementKind::kExpression && statement->value == call;
  if (!onItsOwn || returned->kind == ExprKind::kCall) {
    result.push_back(withReplaced(
        statement, [&](const language::Expr& expr) { return &expr == call.get(); }, returned));
  }
  return result;
}

/// What a custom function does to one name, with one operator.
ExprPtr plainBody(const std::string& function, const ExprPtr& argument) {
  if (function == "Identity") {
    return language::makeMethodCall(argument, "clone", {});
  }
  if (function == "Scaled") {
    return language::makeBinary("*", argument, language::makeInt(2));
  }
  if (function == "MarksDirty") {
    return language::makeMethodCall(argument, "mul_", {language::makeInt(2)});
  }
  const bool squares = function == "SavesInput" || function == "SavesOutput";
  return squares && argument->kind == ExprKind::kName ? language::makeBinary("*", argument, argument) : nullptr;
}

/// The one field that the function reads of its parameter, a module record; empty when it does anything else with it.
std::string onlyFieldOf(const language::Function& function, const std::string& parameter) {
  std::set<std::string> fields;
  size_t reads = 0;
  rewriteExpressions(function, [&](const ExprPtr& expr) -> language::ExprPtr {
    if (expr->kind == ExprKind::kAttribute && isNamed(*expr->children[0], parameter)) {
      fields.insert(expr->text);
      ++reads;
    }
    return nullptr;
  });
  const bool isField = fields.size() == 1 && !parser::kTensorAttributes.contains(*fields.begin()) &&
                       !parser::kModuleMethods.contains(*fields.begin()) && reads == timesRead(function, parameter);
  return isField ? *fields.begin() : "";
}

/// `m = torch.nn.Module()` and `m.field = value` become `m = value`; none when the function makes no such record of it.
std::optional<language::Function> withFieldAlone(const language::Function& inputs, const std::string& record,
                                                 const std::string& field) {
  language::Function result = inputs;
  result.body.clear();
  bool found = false;
  for (const StatementPtr& statement : inputs.body) {
    const std::vector<ExprPtr>& targets = statement->targets;
    const bool ofRecord =
        targets.size() == 1 && targets[0]->kind == ExprKind::kAttribute && isNamed(*targets[0]->children[0], record);
    if (ofRecord && targets[0]->text == field) {
      result.body.push_back(language::makeAssign({language::makeName(record)}, statement->value));
      found = true;
    } else if (!ofRecord && !(targets.size() == 1 && isNamed(*targets[0], record))) {
      result.body.push_back(statement);
    }
  }
  return found ? std::optional(std::move(result)) : std::nullopt;
}

struct InlinedName {
  std::string name;
  StatementPtr definition;
};

/// Names that are assigned once and read once; in functions that make inputs, not by what they return.
std::vector<InlinedName> namesReadOnce(const language::Function& function) {
  std::map<std::string, int> written;
  for (const StatementPtr& statement : allStatements(function)) {
    for (const std::string& name : language::namesWritten(language::ownPart(*statement))) {
      ++written[name];
    }
  }
  std::vector<InlinedName> result;
  for (const StatementPtr& statement : function.body) {
    if (statement->kind != StatementKind::kAssign || statement->targets.size() != 1 ||
        statement->targets[0]->kind != ExprKind::kName) {
      continue;
    }
    const std::string& name = statement->targets[0]->text;
    const bool returned = makesInputs(function) && [&] {
      const std::vector<std::string> names = language::namesRead(*function.body.back());
      return std::find(names.begin(), names.end(), name) != names.end();
    }();
    if (written[name] == 1 && timesRead(function, name) == 1 && !returned) {
      result.push_back({name, statement});
    }
  }
  return result;
}

/// None when a statement becomes too wide.
std::optional<language::Function> withInlined(const language::Function& function,
                                              const std::vector<InlinedName>& names) {
  language::Function result = function;
  for (const InlinedName& each : names) {
    ExprPtr value; // as it is after the names before it were inlined
    std::vector<StatementPtr> body;
    for (const StatementPtr& statement : result.body) {
      const bool defines = statement->kind == StatementKind::kAssign && statement->targets.size() == 1 &&
                           isNamed(*statement->targets[0], each.name);
      if (defines) {
        value = statement->value;
        continue;
      }
      body.push_back(value == nullptr
                         ? statement
                         : withReplaced(
                               statement, [&](const language::Expr& expr) { return isNamed(expr, each.name); }, value));
      if (language::printStatement(language::ownPart(*body.back())).size() > kWidestStatement) {
        return std::nullopt;
      }
    }
    result.body = std::move(body);
  }
  return result;
}

} // namespace

std::vector<language::Case> inlineFunctions(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const language::Function& callee : theCase.functions) {
    size_t reads = 0;
    for (const language::Function& function : theCase.functions) {
      reads += timesRead(function, callee.name);
    }
    for (size_t position = 0; reads == 1 && position < theCase.functions.size(); ++position) {
      const language::Function& caller = theCase.functions[position];
      for (const StatementPtr& statement : allStatements(caller)) {
        const ExprPtr call = callOf(*statement, callee.name);
        const auto statements = call != nullptr ? expanded(callee, caller, statement, call) : std::nullopt;
        if (statements) {
          language::Function edited = caller;
          edited.body = replaceStatements(caller.body, statement, *statements);
          result.push_back(language::withoutUnusedFunctions(withFunction(theCase, position, std::move(edited))));
        }
      }
    }
  }
  for (const size_t position : programFirst(theCase)) {
    std::vector<language::Case> each = replaceOne(theCase, position, [&](const ExprPtr& expr) {
      const bool applies = expr->kind == ExprKind::kCall && expr->children.size() == 2 &&
                           expr->children[0]->kind == ExprKind::kAttribute && expr->children[0]->text == "apply" &&
                           expr->children[0]->children[0]->kind == ExprKind::kName;
      const ExprPtr body = applies ? plainBody(expr->children[0]->children[0]->text, expr->children[1]) : nullptr;
      return body != nullptr ? std::vector<ExprPtr>{body} : std::vector<ExprPtr>{};
    });
    for (language::Case& candidate : each) {
      result.push_back(language::withoutUnusedFunctions(std::move(candidate)));
    }
  }
  return result;
}

std::vector<language::Case> openRecords(const language::Case& theCase) {
  std::vector<language::Case> result;
  const language::Function& program = theCase.program();
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const std::string field = onlyFieldOf(program, program.parameters[i]);
    if (field.empty()) {
      continue;
    }
    language::Case candidate = theCase;
    bool fits = true;
    for (language::Function& function : candidate.functions) {
      if (makesInputs(function)) {
        const std::vector<ExprPtr> both = returnedItems(function);
        const bool named =
            both.size() == 2 && i < both[0]->children.size() && both[0]->children[i]->kind == ExprKind::kName;
        const auto opened = named ? withFieldAlone(function, both[0]->children[i]->text, field) : std::nullopt;
        fits = fits && opened.has_value();
        function = opened.value_or(function);
      }
    }
    language::Function& edited = *findFunction(candidate, "program");
    edited = rewriteExpressions(edited, [&](const ExprPtr& expr) {
      const bool hit = expr->kind == ExprKind::kAttribute && expr->text == field &&
                       isNamed(*expr->children[0], program.parameters[i]);
      return hit ? expr->children[0] : nullptr;
    });
    if (fits) {
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

std::vector<language::Case> inlineNames(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    const language::Function& function = bodyAt(theCase, position);
    const std::vector<InlinedName> names = namesReadOnce(function);
    const auto propose = [&](const std::vector<InlinedName>& some) {
      if (std::optional<language::Function> edited = withInlined(function, some)) {
        result.push_back(withFunction(theCase, position, *std::move(edited)));
      }
    };
    if (names.size() > 1) {
      propose(names);
    }
    for (const InlinedName& name : names) {
      propose({name});
    }
  }
  return result;
}

} // namespace touchstone::reducer
