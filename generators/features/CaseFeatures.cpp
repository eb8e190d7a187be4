#include "generators/features/CaseFeatures.h"

#include "program/analysis/NameFlow.h"
#include "program/parser/LanguageNames.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::features {

using language::Case;
using language::Function;
using language::StatementKind;

namespace {

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
      if (statement->function) {
        inner_[statement->function->name] = statement->function.get();
        continue;
      }
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
    const bool isNamed = call && call->children[0]->kind == language::ExprKind::kName;
    const auto inner = isNamed ? inner_.find(call->children[0]->text) : inner_.end();
    const Function* function = inner != inner_.end() ? inner->second
                               : isNamed             ? case_.find(call->children[0]->text)
                                                     : nullptr;
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
  std::map<std::string, const Function*> inner_; // functions inside the Program
  std::set<const Function*> running_;
};

/// Two tensors among the arguments that come from one base.
bool givesAliasedArguments(const Function& inputs) {
  std::set<std::string> seen;
  const std::vector<std::string> groups = analysis::groupsOfInputs(inputs, analysis::InputTuple::kArguments);
  return std::any_of(groups.begin(), groups.end(),
                     [&](const std::string& group) { return !group.empty() && !seen.insert(group).second; });
}

/// The shapes of all that `data` makes in it, as text.
std::string shapesIn(const Function& inputs) {
  std::string shapes;
  language::anyExpression(inputs.body, [&](const language::Expr& each) {
    const bool isData = each.kind == language::ExprKind::kCall && each.children[0]->kind == language::ExprKind::kName &&
                        each.children[0]->text == "data";
    for (const language::ExprPtr& size : isData ? each.children[1]->children : std::vector<language::ExprPtr>()) {
      shapes += size->text + ",";
    }
    shapes += isData ? ";" : "";
    return false;
  });
  return shapes;
}

/// The statements that an output, or an argument afterwards, depends on.
std::set<const language::Statement*> reachingOutput(const Function& program,
                                                    const std::vector<language::StatementPtr>& opened,
                                                    const std::vector<analysis::StatementFlow>& flows) {
  return analysis::liveStatements(opened, flows,
                                  {{program.parameters.begin(), program.parameters.end()},
                                   analysis::AliasGroups(flows),
                                   /*otherEffects=*/false});
}

} // namespace

std::set<const language::Statement*> statementsReachingOutput(const Case& theCase) {
  const Function& program = theCase.program();
  const std::vector<language::StatementPtr> opened = CallOpener(theCase).open(program.body);
  return reachingOutput(program, opened, analysis::flowOf(opened));
}

CaseFeatures describeCase(const Case& theCase) {
  CaseFeatures features;
  if (const Function* program = theCase.find("program")) {
    const std::vector<language::StatementPtr> opened = CallOpener(theCase).open(program->body);
    const std::vector<analysis::StatementFlow> flows = analysis::flowOf(opened);
    const std::set<const language::Statement*> reaching = reachingOutput(*program, opened, flows);
    for (const analysis::StatementFlow& flow : flows) {
      features.operations += flow.operations;
      features.operationsReachingOutput += reaching.contains(flow.statement) ? flow.operations : 0;
      features.mutation |= flow.mutates();
    }
  }
  for (const Function& function : theCase.functions) {
    features.aliasedInputs |= language::isInputsName(function.name) && givesAliasedArguments(function);
  }
  std::optional<std::string> current;
  std::set<std::string> assignments;
  for (const language::CallSpec& call : theCase.calls) {
    features.backward |= call.backward.has_value();
    current = call.inputs ? call.inputs : current;
    if (const Function* inputs = call.inputs ? theCase.find(*call.inputs) : nullptr) {
      assignments.insert(shapesIn(*inputs));
    }
    features.changedCall |= current != theCase.calls.front().inputs || call.gradMode != theCase.calls.front().gradMode;
  }
  features.sizeAssignments = static_cast<int>(assignments.size());
  return features;
}

} // namespace touchstone::features
