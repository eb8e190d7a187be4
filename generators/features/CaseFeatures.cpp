#include "generators/features/CaseFeatures.h"

#include "program/analysis/NameFlow.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::features {

using analysis::AliasGroups;
using analysis::StatementFlow;
using language::Case;
using language::ExprPtr;
using language::Function;
using language::StatementKind;

namespace {

/// Those of `statements` that are live, from the last to the first.
std::vector<const StatementFlow*> reachingOutput(const Function& program,
                                                 const std::vector<StatementFlow>& statements) {
  AliasGroups groups = analysis::aliasGroupsOf(statements);
  std::set<std::string> liveNames, liveGroups; // a group is live when a name in it is
  for (const std::string& parameter : program.parameters) {
    liveGroups.insert(groups.groupOf(parameter)); // what is written to an argument is seen afterwards
  }
  std::vector<const StatementFlow*> reaching;
  for (size_t index = statements.size(); index-- > 0;) {
    const StatementFlow& facts = statements[index];
    bool live = facts.statement->kind == StatementKind::kReturn;
    for (const std::string& name : language::namesWritten(*facts.statement)) {
      live |= liveNames.contains(name);
    }
    for (const std::string& name : facts.mutated) {
      live |= !name.empty() && liveGroups.contains(groups.groupOf(name));
    }
    if (!live) {
      continue;
    }
    reaching.push_back(&facts);
    for (const std::string& name : language::namesRead(*facts.statement)) {
      liveNames.insert(name);
      liveGroups.insert(groups.groupOf(name));
    }
  }
  return reaching;
}

/// With the bodies of the file's functions in place of the calls that hand on variables under their own names, and with blocks
/// opened.
class CallOpener {
 public:
  explicit CallOpener(const Case& theCase) : case_(theCase) {}

  std::vector<language::StatementPtr> open(const std::vector<language::StatementPtr>& body) {
    std::vector<language::StatementPtr> opened;
    add(body, opened);
    return opened;
  }

 private:
  void add(const std::vector<language::StatementPtr>& body, std::vector<language::StatementPtr>& opened) {
    for (const language::StatementPtr& statement : body) {
      if (!statement->body.empty()) {
        add(statement->body, opened);
        add(statement->orElse, opened);
        continue;
      }
      const Function* function = functionHandedOnTo(*statement);
      if (function == nullptr || !running_.insert(function).second) { // one that calls itself stays a call
        opened.push_back(statement);
        continue;
      }
      std::vector<language::StatementPtr> inner = function->body;
      std::erase_if(inner, [](const language::StatementPtr& each) { return each->kind == StatementKind::kReturn; });
      add(inner, opened);
      running_.erase(function);
    }
  }

  const Function* functionHandedOnTo(const language::Statement& statement) const {
    const language::Expr* call =
        statement.value && statement.value->kind == language::ExprKind::kCall ? statement.value.get() : nullptr;
    const Function* function =
        call && call->children[0]->kind == language::ExprKind::kName ? case_.find(call->children[0]->text) : nullptr;
    if (function == nullptr || call->children.size() != function->parameters.size() + 1) {
      return nullptr;
    }
    for (size_t index = 0; index < function->parameters.size(); ++index) {
      if (call->children[index + 1]->text != function->parameters[index]) {
        return nullptr;
      }
    }
    return function;
  }

  const Case& case_;
  std::set<const Function*> running_;
};

/// Two tensors among the arguments that come from one base.
bool givesAliasedArguments(const Function& inputs) {
  const std::vector<StatementFlow> statements = analysis::flowOf(inputs.body);
  AliasGroups groups = analysis::aliasGroupsOf(statements);
  if (inputs.body.empty() || inputs.body.back()->kind != StatementKind::kReturn || !inputs.body.back()->value ||
      inputs.body.back()->value->children.empty()) {
    return false;
  }
  std::set<std::string> seen;
  for (const ExprPtr& argument : inputs.body.back()->value->children[0]->children) {
    const std::string root = analysis::memoryRootOf(*argument);
    if (!root.empty() && !seen.insert(groups.groupOf(root)).second) {
      return true;
    }
  }
  return false;
}

} // namespace

std::set<const language::Statement*> statementsReachingOutput(const Case& theCase) {
  const Function& program = theCase.program();
  const std::vector<language::StatementPtr> opened = CallOpener(theCase).open(program.body);
  const std::vector<StatementFlow> statements = analysis::flowOf(opened);
  std::set<const language::Statement*> reaching;
  for (const StatementFlow* facts : reachingOutput(program, statements)) {
    reaching.insert(facts->statement);
  }
  return reaching;
}

CaseFeatures describeCase(const Case& theCase) {
  CaseFeatures features;
  if (const Function* program = theCase.find("program")) {
    const std::vector<language::StatementPtr> opened = CallOpener(theCase).open(program->body);
    const std::vector<StatementFlow> statements = analysis::flowOf(opened);
    for (const StatementFlow& facts : statements) {
      features.operations += facts.operations;
      features.mutation |= facts.mutates;
    }
    for (const StatementFlow* facts : reachingOutput(*program, statements)) {
      features.operationsReachingOutput += facts->operations;
    }
  }
  for (const Function& function : theCase.functions) {
    features.aliasedInputs |= language::isInputsName(function.name) && givesAliasedArguments(function);
  }
  std::optional<std::string> current;
  for (const language::CallSpec& call : theCase.calls) {
    features.backward |= call.backward.has_value();
    current = call.inputs ? call.inputs : current;
    features.changedCall |= current != theCase.calls.front().inputs || call.gradMode != theCase.calls.front().gradMode;
  }
  return features;
}

} // namespace touchstone::features
