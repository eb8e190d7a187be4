#include "program/analysis/NameFlow.h"

#include "program/operators/OperatorFacts.h"

#include <string_view>
#include <utility>

namespace touchstone::analysis {

bool mayReturnAlias(std::string_view name) {
  return operators::has(name, operators::kMayAlias) || (operators::isInPlaceName(name) && name[name.size() - 2] != '_');
}

namespace {

// `torch`, `torch.nn.functional`, …: a place where functions live, not a value.
bool isNamespace(const language::Expr& expr) {
  return expr.kind == language::ExprKind::kName
             ? expr.text == "torch"
             : expr.kind == language::ExprKind::kAttribute && isNamespace(*expr.children[0]);
}

void addExpressionFlow(const language::Expr& expr, StatementFlow& flow) {
  switch (expr.kind) {
    case language::ExprKind::kCall: {
      const language::Expr& callee = *expr.children[0];
      ++flow.operations;
      if (callee.kind == language::ExprKind::kAttribute) {
        const std::string& name = callee.text;
        const bool function = isNamespace(*callee.children[0]);
        if (name.size() > 1 && name.back() == '_' && name != "requires_grad_" && name != "detach_") {
          flow.mutates = true;
          const language::Expr* target =
              function ? (expr.children.size() > 1 ? expr.children[1].get() : nullptr) : callee.children[0].get();
          if (target) {
            flow.mutated.push_back(memoryRootOf(*target));
          }
        }
        const size_t positional = expr.children.size() - expr.keywords.size();
        for (size_t index = 0; index < expr.keywords.size(); ++index) {
          if (expr.keywords[index] == "out") {
            flow.mutates = true;
            flow.mutated.push_back(memoryRootOf(*expr.children[positional + index]));
          }
        }
      }
      break;
    }
    case language::ExprKind::kBinary:
    case language::ExprKind::kUnary:
      flow.operations +=
          expr.kind == language::ExprKind::kBinary || expr.children[0]->kind > language::ExprKind::kEllipsis;
      break;
    case language::ExprKind::kSubscript:
      flow.operations += expr.children[0]->kind != language::ExprKind::kAttribute;
      break;
    default: break;
  }
  for (const language::ExprPtr& child : expr.children) {
    if (child) {
      addExpressionFlow(*child, flow);
    }
  }
}

void addStatements(const std::vector<language::StatementPtr>& body, std::vector<StatementFlow>& all) {
  for (const language::StatementPtr& statement : body) {
    const bool block =
        statement->kind == language::StatementKind::kWith || statement->kind == language::StatementKind::kIf ||
        statement->kind == language::StatementKind::kFor || statement->kind == language::StatementKind::kWhile;
    if (!block) {
      StatementFlow flow{.statement = statement.get(), .operations = 0, .mutated = {}, .mutates = false};
      if (statement->value) {
        addExpressionFlow(*statement->value, flow);
      }
      for (const language::ExprPtr& target : statement->targets) {
        if (statement->kind == language::StatementKind::kAugmentedAssign ||
            target->kind == language::ExprKind::kSubscript) {
          flow.mutates = true;
          flow.mutated.push_back(memoryRootOf(*target));
          ++flow.operations;
        }
      }
      all.push_back(std::move(flow));
    }
    addStatements(statement->body, all);
    addStatements(statement->orElse, all);
  }
}

} // namespace

std::string memoryRootOf(const language::Expr& expr) {
  switch (expr.kind) {
    case language::ExprKind::kName: return expr.text;
    case language::ExprKind::kSubscript: return memoryRootOf(*expr.children[0]);
    case language::ExprKind::kAttribute:
      return mayReturnAlias(expr.text) && !isNamespace(*expr.children[0]) ? memoryRootOf(*expr.children[0]) : "";
    case language::ExprKind::kCall: {
      const language::Expr& callee = *expr.children[0];
      if (callee.kind != language::ExprKind::kAttribute || !mayReturnAlias(callee.text)) {
        return "";
      }
      if (!isNamespace(*callee.children[0])) {
        return memoryRootOf(*callee.children[0]);
      }
      return expr.children.size() > 1 && expr.children[1] ? memoryRootOf(*expr.children[1]) : "";
    }
    default: return "";
  }
}

const std::string& AliasGroups::groupOf(const std::string& name) {
  auto [entry, added] = parents_.try_emplace(name, name);
  while (entry->second != entry->first) {
    entry = parents_.find(entry->second);
  }
  return entry->first;
}

void AliasGroups::join(const std::string& left, const std::string& right) {
  const std::string& leftGroup = groupOf(left);
  const std::string& rightGroup = groupOf(right);
  if (leftGroup != rightGroup) {
    parents_[rightGroup] = leftGroup;
  }
}

std::vector<StatementFlow> flowOf(const std::vector<language::StatementPtr>& body) {
  std::vector<StatementFlow> all;
  addStatements(body, all);
  return all;
}

AliasGroups aliasGroupsOf(const std::vector<StatementFlow>& statements) {
  AliasGroups groups;
  for (const StatementFlow& flow : statements) {
    if (flow.statement->kind != language::StatementKind::kAssign) {
      continue;
    }
    const std::string root = memoryRootOf(*flow.statement->value);
    for (const std::string& written : language::namesWritten(*flow.statement)) {
      if (!root.empty()) {
        groups.join(root, written);
      }
    }
  }
  return groups;
}

} // namespace touchstone::analysis
