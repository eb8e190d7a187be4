#include "program/analysis/NameFlow.h"

#include "program/analysis/OperatorNames.h"
#include "program/language/StatementEditing.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace touchstone::analysis {

namespace {

using language::Expr;
using language::ExprKind;
using language::ExprPtr;
using language::Function;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

/// Attributes, and what is done to literals, run nothing.
bool runsAnOperator(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kCall:
    case ExprKind::kBinary: return true;
    case ExprKind::kUnary: return expr.children[0]->kind > ExprKind::kEllipsis;
    case ExprKind::kSubscript: return expr.children[0]->kind != ExprKind::kAttribute;
    default: return false;
  }
}

/// `torch._foreach_add_([a, b], 1)` writes to each of a list.
void addWritten(const Expr& written, StatementFlow& flow) {
  if (written.kind != ExprKind::kList && written.kind != ExprKind::kTuple) {
    flow.mutated.push_back(memoryRootOf(written));
    return;
  }
  for (const ExprPtr& each : written.children) {
    flow.mutated.push_back(memoryRootOf(*each));
  }
}

void addExpression(const Expr& expr, StatementFlow& flow) {
  flow.operations += runsAnOperator(expr) ? 1 : 0;
  if (expr.kind == ExprKind::kCall) {
    if (const Expr* written = writtenOperation(expr)->written()) {
      addWritten(*written, flow);
    }
  }
  for (const ExprPtr& child : expr.children) {
    if (child != nullptr) {
      addExpression(*child, flow);
    }
  }
}

class BackwardSlice {
 public:
  BackwardSlice(const std::vector<StatementFlow>& flows, LiveNames live) : live_(std::move(live)) {
    for (const StatementFlow& flow : flows) {
      flows_.emplace(flow.statement, &flow);
    }
    for (const std::string& name : live_.written) {
      groups_.insert(live_.groups.groupOf(name));
    }
  }

  /// True when something of the body is live.
  bool visit(const std::vector<StatementPtr>& body) {
    bool any = false;
    for (size_t position = body.size(); position-- > 0;) {
      const Statement& statement = *body[position];
      any = (statement.body.empty() ? visitSimple(statement) : visitBlock(statement)) || any;
    }
    return any;
  }

  std::set<const Statement*> takeLive() { return std::move(kept_); }

 private:
  void need(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      names_.insert(name);
      groups_.insert(live_.groups.groupOf(name));
    }
  }

  bool visitBlock(const Statement& statement) {
    const bool repeats = statement.kind == StatementKind::kWhile || statement.kind == StatementKind::kFor;
    bool any = visit(statement.orElse);
    any = visit(statement.body) || any;
    if (any) {
      need(language::namesRead(ownPart(statement)));
    }
    if (any && repeats) { // what is read in one round is written in the round before
      visit(statement.body);
    }
    return any;
  }

  bool visitSimple(const Statement& statement) {
    if (!isLive(statement, *flows_.at(&statement))) {
      return false;
    }
    kept_.insert(&statement);
    need(language::namesRead(statement));
    return true;
  }

  bool isLive(const Statement& statement, const StatementFlow& flow) {
    if (statement.kind == StatementKind::kReturn ||
        (statement.kind == StatementKind::kExpression && !flow.mutates() && live_.otherEffects)) {
      return true;
    }
    const std::vector<std::string> written = language::namesWritten(statement);
    if (std::any_of(written.begin(), written.end(), [&](const std::string& name) { return names_.count(name) != 0; })) {
      return true;
    }
    std::vector<std::string> memory = flow.mutated;
    for (const ExprPtr& target : statement.targets) {
      if (target->kind == ExprKind::kAttribute) {
        memory.push_back(memoryRootOf(*target->children[0]));
      }
    }
    return std::any_of(memory.begin(), memory.end(), [&](const std::string& name) {
      return !name.empty() && groups_.count(live_.groups.groupOf(name)) != 0;
    });
  }

  LiveNames live_;
  std::map<const Statement*, const StatementFlow*> flows_;
  std::set<std::string> names_, groups_; // live so far; a group is live when a name in it is
  std::set<const Statement*> kept_;
};

/// Of a function inside another, which is kept or dropped as a whole.
void addKept(const std::vector<StatementPtr>& body, std::vector<language::Fate>& fates) {
  for (const StatementPtr& statement : body) {
    fates.push_back(language::Fate::kKeep);
    addKept(statement->function ? statement->function->body : statement->body, fates);
    addKept(statement->orElse, fates);
  }
}

/// In the order of the text, as editStatements() numbers them.
void addFates(const std::vector<StatementPtr>& body, const std::set<const Statement*>& live,
              std::vector<language::Fate>& fates) {
  for (const StatementPtr& statement : body) {
    const bool isDropped = statement->body.empty() && !live.contains(statement.get());
    fates.push_back(isDropped ? language::Fate::kDrop : language::Fate::kKeep);
    if (statement->function) {
      addKept(statement->function->body, fates);
    }
    addFates(statement->body, live, fates);
    addFates(statement->orElse, live, fates);
  }
}

} // namespace

std::vector<StatementFlow> flowOf(const std::vector<StatementPtr>& body) {
  std::vector<StatementFlow> all;
  for (const StatementPtr& statement : body) {
    if (statement->body.empty()) {
      StatementFlow flow{.statement = statement.get(), .operations = 0, .mutated = {}};
      if (statement->value) {
        addExpression(*statement->value, flow);
      }
      for (const ExprPtr& target : statement->targets) {
        if (statement->kind == StatementKind::kAugmentedAssign || target->kind == ExprKind::kSubscript) {
          flow.mutated.push_back(memoryRootOf(*target));
          ++flow.operations;
        }
      }
      all.push_back(std::move(flow));
    }
    for (const auto* block : {&statement->body, &statement->orElse}) {
      std::vector<StatementFlow> inner = flowOf(*block);
      std::move(inner.begin(), inner.end(), std::back_inserter(all));
    }
  }
  return all;
}

std::string memoryRootOf(const Expr& expr) {
  if (expr.kind == ExprKind::kName) {
    return expr.text;
  }
  const std::optional<WrittenOperation> operation = isTorchPath(expr) ? std::nullopt : writtenOperation(expr);
  const bool mayAlias = operation.has_value() && !operation->operands.empty() &&
                        (expr.kind == ExprKind::kSubscript || mayReturnAlias(operation->name));
  return mayAlias ? memoryRootOf(*operation->operands[0].value) : "";
}

AliasGroups::AliasGroups(const std::vector<StatementFlow>& flows) {
  for (const StatementFlow& flow : flows) {
    const std::string root =
        flow.statement->kind == StatementKind::kAssign ? memoryRootOf(*flow.statement->value) : std::string();
    for (const std::string& written : language::namesWritten(*flow.statement)) {
      if (!root.empty()) {
        join(root, written);
      }
    }
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

std::vector<std::string> groupsOfInputs(const Function& inputs, InputTuple which) {
  const auto number = static_cast<size_t>(which);
  const std::vector<ExprPtr> tuples = language::returnedItems(inputs);
  std::vector<std::string> result;
  AliasGroups groups(inputs.body);
  for (const ExprPtr& item : tuples.size() == 2 ? tuples[number]->children : std::vector<ExprPtr>{}) {
    const std::string root = memoryRootOf(*item);
    const bool isNumber =
        std::find(inputs.parameters.begin(), inputs.parameters.end(), root) != inputs.parameters.end();
    result.push_back(root.empty() || isNumber ? "" : groups.groupOf(root)); // the seed has no memory
  }
  return result;
}

std::set<const Statement*> liveStatements(const std::vector<StatementPtr>& body,
                                          const std::vector<StatementFlow>& flows, LiveNames live) {
  BackwardSlice slice(flows, std::move(live));
  slice.visit(body);
  return slice.takeLive();
}

Function sliceBackward(const Function& function, LiveNames live) {
  std::vector<language::Fate> fates;
  addFates(function.body, liveStatements(function.body, flowOf(function.body), std::move(live)), fates);
  Function result = function;
  result.body = editStatements(function.body, fates);
  return withoutDangling(std::move(result), function);
}

} // namespace touchstone::analysis
