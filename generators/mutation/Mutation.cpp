#include "generators/mutation/Mutation.h"

#include "generators/decoder/ProgramEditing.h"

#include "generators/mutation/LiteralChanges.h"
#include "program/language/StatementEditing.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::mutation {

using language::Case;
using language::ExprPtr;
using language::Function;
using language::Statement;
using language::StatementKind;
using language::StatementPtr;

namespace {

constexpr int kMutationAttempts = 12;

/// Statements of the Program's own body, its `return` not counted.
size_t statementCount(const Function& program) {
  const bool returns = !program.body.empty() && program.body.back()->kind == StatementKind::kReturn;
  return program.body.size() - (returns ? 1 : 0);
}

std::optional<size_t> anyStatement(const Function* program, catalogue::Draw& draw, size_t least = 1) {
  const size_t count = program ? statementCount(*program) : 0;
  if (count < least) {
    return std::nullopt;
  }
  return static_cast<size_t>(draw.below(static_cast<int64_t>(count)));
}

auto at(Function& function, size_t position) {
  return function.body.begin() + static_cast<std::ptrdiff_t>(position);
}

/// Names that the Program's statements before `position` leave.
std::vector<std::string> namesBefore(const Function& program, size_t position) {
  std::vector<std::string> names = program.parameters;
  for (size_t index = 0; index < position; ++index) {
    for (const std::string& name : language::namesWritten(*program.body[index])) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

const std::string& anyName(const std::vector<std::string>& names, catalogue::Draw& draw) {
  return names[static_cast<size_t>(draw.below(static_cast<int64_t>(names.size())))];
}

bool deleteStatement(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  const std::optional<size_t> position = anyStatement(program, draw, 2);
  if (!position) {
    return false;
  }
  const Function before = *program;
  const std::vector<std::string> gone = language::namesWritten(*program->body[*position]);
  const std::vector<std::string> others = namesBefore(*program, *position);
  program->body.erase(at(*program, *position));
  if (!others.empty() && draw.chance(60)) { // what read it reads something else
    for (const std::string& name : gone) {
      if (std::find(others.begin(), others.end(), name) == others.end()) {
        const std::string& instead = anyName(others, draw);
        for (size_t index = *position; index < program->body.size(); ++index) {
          program->body[index] = decoder::withNames(program->body[index], {{name, instead}});
        }
      }
    }
  }
  *program = language::withoutDangling(*program, before);
  return true;
}

bool duplicateStatement(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  const std::optional<size_t> position = anyStatement(program, draw);
  if (!position) {
    return false;
  }
  const auto count = static_cast<int64_t>(statementCount(*program));
  const auto target = static_cast<size_t>(draw.between(static_cast<int64_t>(*position) + 1, count));
  const StatementPtr copy = program->body[*position];
  program->body.insert(at(*program, target), copy);
  return true;
}

bool swapStatements(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  const std::optional<size_t> position = anyStatement(program, draw, 2);
  if (!position || *position + 1 >= statementCount(*program)) {
    return false;
  }
  const Function before = *program;
  std::swap(program->body[*position], program->body[*position + 1]);
  *program = language::withoutDangling(*program, before);
  return true;
}

bool changeOperand(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  const std::optional<size_t> position = anyStatement(program, draw);
  if (!position) {
    return false;
  }
  const std::vector<std::string> known = namesBefore(*program, *position);
  std::vector<std::string> read;
  for (const std::string& name : language::namesRead(*program->body[*position])) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      read.push_back(name);
    }
  }
  if (read.empty() || known.size() < 2) {
    return false;
  }
  const std::string& old = anyName(read, draw);
  const std::string& now = anyName(known, draw);
  program->body[*position] = decoder::withNames(program->body[*position], {{old, now}});
  return old != now;
}

bool changeAttribute(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  return program && changeLiteral(*program, draw, /*everywhere=*/draw.chance(20));
}

bool wrapInNoGrad(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  const std::optional<size_t> position = anyStatement(program, draw);
  if (!position) {
    return false;
  }
  Statement with{};
  with.kind = StatementKind::kWith;
  with.items = {language::makeCall(language::makeDotted("torch.no_grad"), {})};
  with.body = {program->body[*position]};
  program->body[*position] = std::make_shared<const Statement>(std::move(with));
  return true;
}

bool openBlock(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  const std::optional<size_t> position = anyStatement(program, draw);
  if (!position || program->body[*position]->kind != StatementKind::kWith) {
    return false;
  }
  const std::vector<StatementPtr> inner = program->body[*position]->body;
  program->body.erase(at(*program, *position));
  program->body.insert(at(*program, *position), inner.begin(), inner.end());
  return true;
}

bool returnOneMore(Case& theCase, catalogue::Draw& draw) {
  Function* program = decoder::programOf(theCase);
  if (!program || program->body.empty() || program->body.back()->kind != StatementKind::kReturn) {
    return false;
  }
  const std::vector<std::string> names = namesBefore(*program, statementCount(*program));
  if (names.empty()) {
    return false;
  }
  std::vector<ExprPtr> items = language::returnedItems(*program);
  items.push_back(language::makeName(anyName(names, draw)));
  *program = language::withReturned(*program, items);
  return true;
}

constexpr Mutation kProgramMutations[] = {
    {"delete a statement", deleteStatement, 3},
    {"duplicate a statement", duplicateStatement, 3},
    {"swap two statements", swapStatements, 2},
    {"change an operand", changeOperand, 6},
    {"change an attribute", changeAttribute, 5},
    {"wrap a statement in no_grad", wrapInNoGrad, 1},
    {"open a block", openBlock, 1},
    {"return one more", returnOneMore, 2},
};

std::vector<Mutation> readMutations() {
  std::vector<Mutation> all;
  for (const std::span<const Mutation> table : {programMutations(), callMutations()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

} // namespace

std::span<const Mutation> programMutations() {
  return kProgramMutations;
}

std::span<const Mutation> mutations() {
  static const std::vector<Mutation> kAll = readMutations();
  return kAll;
}

Case mutateCase(const Case& theCase, catalogue::Draw& draw) {
  int64_t sum = 0;
  for (const Mutation& each : mutations()) {
    sum += each.weight;
  }
  for (int attempt = 0; attempt < kMutationAttempts; ++attempt) {
    int64_t roll = draw.below(sum);
    for (const Mutation& each : mutations()) {
      roll -= each.weight;
      if (roll < 0) {
        Case mutated = theCase;
        if (each.apply(mutated, draw)) {
          return mutated;
        }
        break;
      }
    }
  }
  return theCase;
}

} // namespace touchstone::mutation
