#include "program/analysis/Liveness.h"

#include "program/language/StatementEditing.h"

#include <algorithm>
#include <map>
#include <utility>

namespace touchstone::analysis {

namespace {

using language::ExprKind;
using language::ExprPtr;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

class BackwardSlice {
 public:
  BackwardSlice(const language::Function& function, LiveNames live) : live_(std::move(live)) {
    for (StatementFlow& flow : analysis::flowOf(function.body)) {
      flows_.emplace(flow.statement, std::move(flow));
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

  /// In the order of the text, as editStatements() numbers them.
  void addFates(const std::vector<StatementPtr>& body, std::vector<language::Fate>& fates) const {
    for (const StatementPtr& statement : body) {
      fates.push_back(statement->body.empty() && kept_.count(statement.get()) == 0 ? language::Fate::kDrop
                                                                                   : language::Fate::kKeep);
      addFates(statement->body, fates);
      addFates(statement->orElse, fates);
    }
  }

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
    const StatementFlow& flow = flows_.at(&statement);
    if (!isLive(statement, flow)) {
      return false;
    }
    kept_.insert(&statement);
    need(language::namesRead(statement));
    return true;
  }

  bool isLive(const Statement& statement, const StatementFlow& flow) {
    if (statement.kind == StatementKind::kReturn) {
      return true;
    }
    if (statement.kind == StatementKind::kExpression && !flow.mutates && live_.otherEffects) {
      return true;
    }
    const std::vector<std::string> written = language::namesWritten(statement);
    if (std::any_of(written.begin(), written.end(), [&](const std::string& name) { return names_.count(name) != 0; })) {
      return true;
    }
    std::vector<std::string> memory = flow.mutated;
    for (const ExprPtr& target : statement.targets) {
      if (target->kind == ExprKind::kAttribute) {
        memory.push_back(analysis::memoryRootOf(*target->children[0]));
      }
    }
    return std::any_of(memory.begin(), memory.end(), [&](const std::string& name) {
      return !name.empty() && groups_.count(live_.groups.groupOf(name)) != 0;
    });
  }

  LiveNames live_;
  std::map<const Statement*, StatementFlow> flows_;
  std::set<std::string> names_, groups_; // live so far; a group is live when a name in it is
  std::set<const Statement*> kept_;
};

} // namespace

AliasGroups aliasGroupsOf(const language::Function& function) {
  return analysis::aliasGroupsOf(analysis::flowOf(function.body));
}

language::Function sliceBackward(const language::Function& function, LiveNames live) {
  BackwardSlice slice(function, std::move(live));
  slice.visit(function.body);
  std::vector<language::Fate> fates;
  slice.addFates(function.body, fates);
  language::Function result = function;
  result.body = editStatements(function.body, fates);
  return withoutDangling(std::move(result), function);
}

} // namespace touchstone::analysis
