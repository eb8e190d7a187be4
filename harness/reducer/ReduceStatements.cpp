#include "harness/reducer/CaseEditing.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/language/StatementEditing.h"

#include "program/language/CasePrinter.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace touchstone::reducer {

namespace {

using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

bool isReturn(const Statement& statement) {
  return statement.kind == StatementKind::kReturn;
}

// An `inputs` function without an argument or a watched tensor fits its Program no more.
bool keepsReturn(const language::Function& edited, const language::Function& before) {
  return !edited.body.empty() &&
         language::printStatement(*edited.body.back()) == language::printStatement(*before.body.back());
}

// `y = f(x, w)` goes, and `x` or `w` takes the place of `y` everywhere after: what needed it has something. Several
// targets all become that operand.
struct Forwarding {
  std::set<std::string> names; // that go
  std::vector<std::string> operands; // any of which may take their place
};

/// What it assigns; nothing when it is no assignment, or to something else than names.
std::set<std::string> assignedNames(const Statement& statement) {
  std::set<std::string> names;
  for (const ExprPtr& target : statement.targets) {
    if (statement.kind != StatementKind::kAssign || target->kind != ExprKind::kName) {
      return {};
    }
    names.insert(target->text);
  }
  return names;
}

std::optional<Forwarding> forwardingOf(const language::Case& theCase, const Statement& statement) {
  Forwarding result;
  result.names = assignedNames(statement);
  if (result.names.empty()) {
    return std::nullopt;
  }
  for (const std::string& operand : language::namesRead(*statement.value)) {
    if (operand != "torch" && operand != language::kContextParameter && result.names.count(operand) == 0 &&
        theCase.find(operand) == nullptr) {
      result.operands.push_back(operand);
    }
  }
  return result.operands.empty() ? std::nullopt : std::optional(result);
}

using Replacements = std::map<std::string, std::string>;

language::Function withForwarded(const language::Function& function, const std::vector<language::Fate>& fates,
                                 const Replacements& replacements) {
  language::Function edited = function;
  edited.body = editStatements(function.body, fates);
  return rewriteExpressions(edited, [&](const ExprPtr& expr) -> language::ExprPtr {
    auto found = expr->kind == ExprKind::kName ? replacements.find(expr->text) : replacements.end();
    if (found == replacements.end()) {
      return nullptr;
    }
    std::string name = found->second;
    for (size_t steps = 0; steps < replacements.size() && (found = replacements.find(name)) != replacements.end();
         ++steps) {
      name = found->second; // what takes the place may have gone, too
    }
    return language::makeName(name);
  });
}

// `y = x.add_(1)` becomes `x.add_(1)` where nobody reads `y`.
void proposeWithoutName(const language::Case& theCase, size_t position, const std::vector<StatementPtr>& statements,
                        std::vector<language::Case>& result) {
  std::set<std::string> read;
  for (const StatementPtr& statement : statements) {
    for (const std::string& name : language::namesRead(*statement)) {
      read.insert(name);
    }
  }
  for (const StatementPtr& statement : statements) {
    const bool named = statement->kind == StatementKind::kAssign && statement->targets.size() == 1 &&
                       statement->targets[0]->kind == ExprKind::kName;
    if (named && read.count(statement->targets[0]->text) == 0) {
      language::Function edited = bodyAt(theCase, position);
      edited.body = replaceStatement(edited.body, statement, language::makeExpressionStatement(statement->value));
      result.push_back(withFunction(theCase, position, std::move(edited)));
    }
  }
}

} // namespace

std::vector<language::Case> dropStatements(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    const language::Function& function = bodyAt(theCase, position);
    const std::vector<StatementPtr> statements = allStatements(function);
    const auto count = static_cast<int>(statements.size());
    for (int chunk = count / 2; chunk > 0; chunk /= 2) {
      // From the end: what comes last depends on nobody.
      for (int end = count; end > 0; end -= chunk) {
        std::vector<language::Fate> fates(statements.size(), language::Fate::kKeep);
        bool any = false;
        for (int number = std::max(0, end - chunk); number < end; ++number) {
          if (!isReturn(*statements[static_cast<size_t>(number)])) {
            fates[static_cast<size_t>(number)] = language::Fate::kDrop;
            any = true;
          }
        }
        if (!any) {
          continue;
        }
        language::Function edited = function;
        edited.body = editStatements(function.body, fates);
        edited = withoutDangling(std::move(edited), function);
        if (!language::isInputsName(function.name) || keepsReturn(edited, function)) {
          result.push_back(withFunction(theCase, position, std::move(edited)));
        }
      }
    }
  }
  return result;
}

std::vector<language::Case> forwardStatements(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    const language::Function& function = bodyAt(theCase, position);
    const std::vector<StatementPtr> statements = allStatements(function);
    std::vector<std::pair<size_t, Forwarding>> steps; // by the number of the statement
    for (size_t number = 0; number < statements.size(); ++number) {
      if (std::optional<Forwarding> step = forwardingOf(theCase, *statements[number])) {
        steps.emplace_back(number, std::move(*step));
      }
    }
    const std::vector<language::Fate> all(statements.size(), language::Fate::kKeep);
    for (size_t chunk = steps.size(); chunk > 1; chunk /= 2) {
      for (size_t begin = 0; begin < steps.size(); begin += chunk) {
        std::vector<language::Fate> fates = all;
        Replacements replacements;
        for (size_t i = begin; i < std::min(begin + chunk, steps.size()); ++i) {
          fates[steps[i].first] = language::Fate::kDrop;
          for (const std::string& name : steps[i].second.names) {
            replacements.emplace(name, steps[i].second.operands[0]);
          }
        }
        result.push_back(withFunction(theCase, position, withForwarded(function, fates, replacements)));
      }
    }
    for (size_t i = steps.size(); i-- > 0;) {
      for (const std::string& operand : steps[i].second.operands) {
        std::vector<language::Fate> fates = all;
        fates[steps[i].first] = language::Fate::kDrop;
        Replacements replacements;
        for (const std::string& name : steps[i].second.names) {
          replacements.emplace(name, operand);
        }
        result.push_back(withFunction(theCase, position, withForwarded(function, fates, replacements)));
      }
    }
    proposeWithoutName(theCase, position, statements, result);
  }
  return result;
}

std::vector<language::Case> replaceByInput(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    const language::Function& function = bodyAt(theCase, position);
    if (language::isInputsName(function.name)) {
      continue;
    }
    const std::vector<StatementPtr> statements = allStatements(function);
    for (size_t number = statements.size(); number-- > 0;) {
      const std::set<std::string> names = assignedNames(*statements[number]);
      const std::vector<std::string> read =
          names.empty() ? std::vector<std::string>{} : language::namesRead(*statements[number]->value);
      for (size_t i = 0; !names.empty() && i < function.parameters.size(); ++i) {
        const std::string& parameter = function.parameters[i];
        if (parameter != language::kContextParameter && names.count(parameter) == 0 &&
            std::find(read.begin(), read.end(), parameter) == read.end()) {
          std::vector<language::Fate> fates(statements.size(), language::Fate::kKeep);
          fates[number] = language::Fate::kDrop;
          Replacements replacements;
          for (const std::string& name : names) {
            replacements.emplace(name, parameter);
          }
          result.push_back(withFunction(theCase, position, withForwarded(function, fates, replacements)));
        }
      }
    }
  }
  return result;
}

std::vector<language::Case> unwrapBlocks(const language::Case& theCase) {
  std::vector<language::Case> result;
  for (const size_t position : bodyPositions(theCase)) {
    const language::Function& function = bodyAt(theCase, position);
    const std::vector<StatementPtr> statements = allStatements(function);
    std::vector<size_t> blocks;
    for (size_t number = 0; number < statements.size(); ++number) {
      if (!statements[number]->body.empty()) {
        blocks.push_back(number);
      }
    }
    const auto unwrap = [&](const std::vector<size_t>& numbers) {
      std::vector<language::Fate> fates(statements.size(), language::Fate::kKeep);
      for (const size_t number : numbers) {
        fates[number] = language::Fate::kUnwrap;
      }
      language::Function edited = function;
      edited.body = editStatements(function.body, fates);
      result.push_back(withFunction(theCase, position, withoutDangling(std::move(edited), function)));
    };
    if (blocks.size() > 1) {
      unwrap(blocks);
    }
    for (const size_t number : blocks) {
      unwrap({number});
      if (!statements[number]->orElse.empty()) { // the other branch alone
        language::Function edited = function;
        edited.body = replaceStatements(function.body, statements[number], statements[number]->orElse);
        result.push_back(withFunction(theCase, position, withoutDangling(std::move(edited), function)));
      }
    }
  }
  return result;
}

} // namespace touchstone::reducer
