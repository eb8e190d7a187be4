#include "generators/CaseFeatures.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace touchstone::generators {

using graph::Case;
using graph::Expr;
using graph::ExprKind;
using graph::ExprPtr;
using graph::Function;
using graph::Statement;
using graph::StatementKind;
using graph::StatementPtr;

namespace {

/// Calls whose result may share memory with the tensor they are made on.
bool mayReturnAlias(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "view",     "reshape",      "flatten",   "t",          "T",      "mT",        "transpose", "permute",
      "select",   "narrow",       "unsqueeze", "squeeze",    "expand", "expand_as", "view_as",   "diagonal",
      "unbind",   "split",        "chunk",     "as_strided", "unfold", "movedim",   "detach",    "contiguous",
      "dropout",  "to",           "type_as",   "float",      "double", "real",      "conj",      "requires_grad_",
      "swapaxes", "broadcast_to", "ravel"};
  return kNames.contains(name) || (name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_');
}

bool drawsRandomNumbers(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "rand",      "randn",      "randint", "rand_like", "randn_like", "randint_like", "randperm",
      "bernoulli", "bernoulli_", "normal",  "normal_",   "uniform_",   "multinomial",  "random_"};
  return kNames.contains(name);
}

bool isTrue(const Expr& call, const std::string& keyword) {
  const size_t positional = call.children.size() - call.keywords.size();
  for (size_t index = 0; index < call.keywords.size(); ++index) {
    if (call.keywords[index] == keyword) {
      return call.children[positional + index]->kind == ExprKind::kTrue;
    }
  }
  return false;
}

/// `torch`, `torch.nn.functional`, …: a place where functions live, not a value.
bool isNamespace(const Expr& expr) {
  return expr.kind == ExprKind::kName ? expr.text == "torch"
                                      : expr.kind == ExprKind::kAttribute && isNamespace(*expr.children[0]);
}

/// The name whose memory an expression's value may share; empty: memory of its own.
std::string rootOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kName: return expr.text;
    case ExprKind::kSubscript: return rootOf(*expr.children[0]);
    case ExprKind::kAttribute:
      return mayReturnAlias(expr.text) && !isNamespace(*expr.children[0]) ? rootOf(*expr.children[0]) : "";
    case ExprKind::kCall: {
      const Expr& callee = *expr.children[0];
      if (callee.kind != ExprKind::kAttribute || !mayReturnAlias(callee.text)) {
        return "";
      }
      if (!isNamespace(*callee.children[0])) {
        return rootOf(*callee.children[0]);
      }
      return expr.children.size() > 1 && expr.children[1] ? rootOf(*expr.children[1]) : "";
    }
    default: return "";
  }
}

/// Names that may share memory, in groups.
class AliasGroups {
 public:
  const std::string& groupOf(const std::string& name) {
    auto [entry, added] = parents_.try_emplace(name, name);
    while (entry->second != entry->first) {
      entry = parents_.find(entry->second);
    }
    return entry->first;
  }
  void join(const std::string& left, const std::string& right) {
    const std::string& leftGroup = groupOf(left);
    const std::string& rightGroup = groupOf(right);
    if (leftGroup != rightGroup) {
      parents_[rightGroup] = leftGroup;
    }
  }

 private:
  std::map<std::string, std::string> parents_;
};

/// One simple statement: what it runs and what it writes to.
struct StatementFacts {
  const Statement* statement;
  int operations = 0;
  std::vector<std::string> mutated; // names whose memory it writes to; no name: a value of its own
  bool mutates = false;
  bool random = false;
};

void addExpressionFacts(const Expr& expr, StatementFacts& facts) {
  switch (expr.kind) {
    case ExprKind::kCall: {
      const Expr& callee = *expr.children[0];
      ++facts.operations;
      if (callee.kind == ExprKind::kAttribute) {
        const std::string& name = callee.text;
        const bool function = isNamespace(*callee.children[0]);
        facts.random |= drawsRandomNumbers(name) || (name == "dropout" && isTrue(expr, "training"));
        if (name.size() > 1 && name.back() == '_' && name != "requires_grad_" && name != "detach_") {
          facts.mutates = true;
          const Expr* target =
              function ? (expr.children.size() > 1 ? expr.children[1].get() : nullptr) : callee.children[0].get();
          if (target) {
            facts.mutated.push_back(rootOf(*target));
          }
        }
        const size_t positional = expr.children.size() - expr.keywords.size();
        for (size_t index = 0; index < expr.keywords.size(); ++index) {
          if (expr.keywords[index] == "out") {
            facts.mutates = true;
            facts.mutated.push_back(rootOf(*expr.children[positional + index]));
          }
        }
      }
      break;
    }
    case ExprKind::kBinary:
    case ExprKind::kUnary:
      facts.operations += expr.kind == ExprKind::kBinary || expr.children[0]->kind > ExprKind::kEllipsis;
      break;
    case ExprKind::kSubscript: facts.operations += expr.children[0]->kind != ExprKind::kAttribute; break;
    default: break;
  }
  for (const ExprPtr& child : expr.children) {
    if (child) {
      addExpressionFacts(*child, facts);
    }
  }
}

/// All statements in the order of the text, blocks opened.
void addStatements(const std::vector<StatementPtr>& body, std::vector<StatementFacts>& all) {
  for (const StatementPtr& statement : body) {
    const bool block = statement->kind == StatementKind::kWith || statement->kind == StatementKind::kIf ||
                       statement->kind == StatementKind::kFor || statement->kind == StatementKind::kWhile;
    if (!block) {
      StatementFacts facts{
          .statement = statement.get(), .operations = 0, .mutated = {}, .mutates = false, .random = false};
      if (statement->value) {
        addExpressionFacts(*statement->value, facts);
      }
      for (const ExprPtr& target : statement->targets) {
        if (statement->kind == StatementKind::kAugmentedAssign || target->kind == ExprKind::kSubscript) {
          facts.mutates = true;
          facts.mutated.push_back(rootOf(*target));
          ++facts.operations;
        }
      }
      all.push_back(std::move(facts));
    }
    addStatements(statement->body, all);
    addStatements(statement->orElse, all);
  }
}

AliasGroups groupsOf(const std::vector<StatementFacts>& statements) {
  AliasGroups groups;
  for (const StatementFacts& facts : statements) {
    if (facts.statement->kind != StatementKind::kAssign) {
      continue;
    }
    const std::string root = rootOf(*facts.statement->value);
    for (const std::string& written : graph::namesWritten(*facts.statement)) {
      if (!root.empty()) {
        groups.join(root, written);
      }
    }
  }
  return groups;
}

int countReaching(const Function& program, const std::vector<StatementFacts>& statements) {
  AliasGroups groups = groupsOf(statements);
  std::set<std::string> liveNames, liveGroups; // a group is live when a name in it is
  for (const std::string& parameter : program.parameters) {
    liveGroups.insert(groups.groupOf(parameter)); // what is written to an argument is seen afterwards
  }
  int operations = 0;
  for (size_t index = statements.size(); index-- > 0;) {
    const StatementFacts& facts = statements[index];
    bool live = facts.statement->kind == StatementKind::kReturn;
    for (const std::string& name : graph::namesWritten(*facts.statement)) {
      live |= liveNames.contains(name);
    }
    for (const std::string& name : facts.mutated) {
      live |= !name.empty() && liveGroups.contains(groups.groupOf(name));
    }
    if (!live) {
      continue;
    }
    operations += facts.operations;
    for (const std::string& name : graph::namesRead(*facts.statement)) {
      liveNames.insert(name);
      liveGroups.insert(groups.groupOf(name));
    }
  }
  return operations;
}

/// Two tensors among the arguments that come from one base.
bool givesAliasedArguments(const Function& inputs) {
  std::vector<StatementFacts> statements;
  addStatements(inputs.body, statements);
  AliasGroups groups = groupsOf(statements);
  if (inputs.body.empty() || inputs.body.back()->kind != StatementKind::kReturn || !inputs.body.back()->value ||
      inputs.body.back()->value->children.empty()) {
    return false;
  }
  std::set<std::string> seen;
  for (const ExprPtr& argument : inputs.body.back()->value->children[0]->children) {
    const std::string root = rootOf(*argument);
    if (!root.empty() && !seen.insert(groups.groupOf(root)).second) {
      return true;
    }
  }
  return false;
}

} // namespace

CaseFeatures describeCase(const Case& theCase) {
  CaseFeatures features;
  if (const Function* program = theCase.find("program")) {
    std::vector<StatementFacts> statements;
    addStatements(program->body, statements);
    for (const StatementFacts& facts : statements) {
      features.operations += facts.operations;
      features.mutation |= facts.mutates;
      features.random |= facts.random;
    }
    features.operationsReachingOutput = countReaching(*program, statements);
  }
  for (const Function& function : theCase.functions) {
    features.aliasedInputs |= function.name.rfind("inputs", 0) == 0 && givesAliasedArguments(function);
  }
  std::optional<std::string> current;
  for (const graph::CallSpec& call : theCase.calls) {
    features.backward |= call.backward.has_value();
    current = call.inputs ? call.inputs : current;
    features.changedCall |= current != theCase.calls.front().inputs || call.gradMode != theCase.calls.front().gradMode;
  }
  return features;
}

} // namespace touchstone::generators
