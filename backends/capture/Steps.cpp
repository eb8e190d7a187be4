#include "backends/capture/Steps.h"

#include "backends/capture/StatementCutter.h"
#include "program/evaluator/Environment.h"

namespace touchstone::capture {

using language::Expr;
using language::ExprKind;
using language::StatementKind;
using language::StatementPtr;

std::vector<std::string> namesOfRegion(const Step& enter) {
  return language::namesRead(*enter.statement->items.front());
}

namespace {

/// Names that a step reads, bodies included.
std::vector<std::string> readBy(const Step& step) {
  switch (step.kind) {
    case StepKind::kLeave:
    case StepKind::kJump:
    case StepKind::kSwitchGrad: return {};
    case StepKind::kEnter: return namesOfRegion(step);
    case StepKind::kNext: {
      std::vector<std::string> names = language::namesRead(*step.statement);
      names.push_back(step.items);
      names.push_back(step.position);
      return names;
    }
    default: return language::namesRead(*step.statement);
  }
}

} // namespace

Steps::Steps(const language::Case& theCase) : case_(theCase) {
  const auto note = [&](const language::Function& function) {
    const evaluator::Scope scope = evaluator::scopeOf(function);
    captured_.insert(scope.free.begin(), scope.free.end());
  };
  for (const language::Function* function : theCase.allBodies()) {
    language::anyStatement(function->body, [&](const language::Statement& statement) {
      if (statement.function) {
        note(*statement.function);
      }
      return false;
    });
    language::anyExpression(function->body, [&](const Expr& expr) {
      if (expr.kind == ExprKind::kLambda) {
        for (const std::string& name : language::namesRead(expr)) {
          captured_.insert(name);
        }
      }
      return false;
    });
  }
}

StepPtr Steps::add(Step step) {
  const void* place = step.statement.get();
  const Key key{step.kind, place, step.next.get(), step.taken.get(), step.gradMode};
  auto [entry, fresh] = steps_.try_emplace(key);
  if (fresh) {
    entry->second = std::make_shared<const Step>(std::move(step));
  }
  return entry->second;
}

StepPtr Steps::first(const language::Function& function) {
  return ofBody(function.body, nullptr);
}

StepPtr Steps::ofBody(const std::vector<StatementPtr>& body, const StepPtr& next) {
  if (body.empty()) {
    return next;
  }
  auto [entry, fresh] = bodies_.try_emplace({body.front().get(), next.get()});
  if (fresh) {
    StepPtr step = next;
    for (auto statement = body.rbegin(); statement != body.rend(); ++statement) {
      step = addStatement(*statement, step);
    }
    bodies_[{body.front().get(), next.get()}] = step;
    return step;
  }
  return entry->second;
}

StepPtr Steps::addStatement(const StatementPtr& statement, const StepPtr& next) {
  auto [entry, fresh] = cut_.try_emplace(statement.get());
  if (fresh) {
    entry->second = cutStatement(case_, statement, temporaries_);
  }
  StepPtr step = next;
  const std::vector<StatementPtr>& parts = entry->second;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    step = addPart(*part, step);
  }
  return step;
}

StepPtr Steps::addPart(const StatementPtr& part, const StepPtr& next) {
  switch (part->kind) {
    case StatementKind::kPass: return next;
    case StatementKind::kIf: return add({.kind = StepKind::kBranch, .statement = part, .next = next});
    case StatementKind::kReturn: return add({.kind = StepKind::kReturn, .statement = part});
    case StatementKind::kBreak:
    case StatementKind::kContinue: return jump(part, next);
    case StatementKind::kWhile: return add({.kind = StepKind::kWhile, .statement = part, .next = next});
    case StatementKind::kFor: {
      // Named by their place, so that each loop has its own.
      const std::string name = "$items_" + std::to_string(++temporaries_);
      return add({.kind = StepKind::kFor, .statement = part, .items = name, .position = name + "_at", .next = next});
    }
    case StatementKind::kWith: {
      const StepPtr leave = add({.kind = StepKind::kLeave, .statement = part, .next = next});
      return add({.kind = StepKind::kEnter, .statement = part, .next = ofBody(part->body, leave)});
    }
    default: return add({.kind = StepKind::kRun, .statement = part, .next = next});
  }
}

// Leaves the regions that the loop is around, then goes to its next round or behind it.
StepPtr Steps::jump(const StatementPtr& statement, const StepPtr& next) {
  std::vector<StepPtr> left;
  int inside = 0; // regions that begin on the way
  StepPtr loop = next;
  for (; loop->kind != StepKind::kNext && loop->kind != StepKind::kRound; loop = loop->next) {
    inside += loop->kind == StepKind::kEnter ? 1 : 0;
    if (loop->kind == StepKind::kLeave && --inside < 0) {
      inside = 0;
      left.push_back(loop);
    }
  }
  StepPtr step = add({.kind = StepKind::kJump,
                      .statement = statement,
                      .next = statement->kind == StatementKind::kBreak ? loop->next : loop});
  for (auto region = left.rbegin(); region != left.rend(); ++region) {
    step = add({.kind = StepKind::kLeave, .statement = (*region)->statement, .next = step});
  }
  return step;
}

StepPtr Steps::round(const StepPtr& step) {
  auto [entry, fresh] = rounds_.try_emplace(step->statement.get());
  if (fresh) {
    entry->second = cutRound(case_, step->statement, temporaries_);
  }
  const std::vector<StatementPtr>& parts = entry->second;
  const StepPtr end = add({.kind = StepKind::kJump, .statement = step->statement, .next = step->next});
  StepPtr next = add({.kind = StepKind::kBranch, .statement = parts.back(), .next = end, .taken = step});
  for (auto part = parts.rbegin() + 1; part != parts.rend(); ++part) {
    next = addPart(*part, next);
  }
  return next;
}

StepPtr Steps::branch(const StepPtr& step, bool taken) {
  const StepPtr& after = taken && step->taken ? step->taken : step->next;
  return ofBody(taken ? step->statement->body : step->statement->orElse, after);
}

StepPtr Steps::loop(const StepPtr& step) {
  return add({.kind = step->kind == StepKind::kFor ? StepKind::kNext : StepKind::kRound,
              .statement = step->statement,
              .items = step->items,
              .position = step->position,
              .next = step->next});
}

StepPtr Steps::body(const StepPtr& step) {
  return ofBody(step->statement->body, step);
}

StepPtr Steps::enter(const StepPtr& enter, const StepPtr& next) {
  return add({.kind = StepKind::kEnter, .statement = enter->statement, .next = next});
}

StepPtr Steps::switchGrad(bool gradMode, const StepPtr& next) {
  return add({.kind = StepKind::kSwitchGrad, .gradMode = gradMode, .next = next});
}

const std::set<std::string>& Steps::liveNames(const StepPtr& step) {
  auto [entry, fresh] = live_.try_emplace(step.get());
  if (fresh) {
    std::set<std::string> bound;
    entry->second = captured_;
    for (const Step* each = step.get(); each != nullptr; each = each->next.get()) {
      for (const std::string& name : readBy(*each)) {
        if (!bound.contains(name)) {
          entry->second.insert(name);
        }
      }
      if (each->kind == StepKind::kRun) {
        for (const std::string& name : language::namesWritten(*each->statement)) {
          bound.insert(name);
        }
      }
    }
  }
  return entry->second;
}

const language::Function* calledFunction(const language::Case& theCase, const Step& step) {
  if (step.kind != StepKind::kRun || !step.statement->value) {
    return nullptr;
  }
  const bool isCall =
      step.statement->kind == StatementKind::kExpression || step.statement->kind == StatementKind::kAssign;
  const Expr& value = *step.statement->value;
  if (!isCall || value.kind != ExprKind::kCall || value.children[0]->kind != ExprKind::kName) {
    return nullptr;
  }
  return theCase.find(value.children[0]->text);
}

} // namespace touchstone::capture
