#include "backends/capture/Steps.h"

#include "backends/capture/StatementCutter.h"

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

StepPtr Steps::add(Step step) {
  const void* place = step.statement.get();
  const Key key{step.kind, place, step.next.get(), step.gradMode};
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
    switch ((*part)->kind) {
      case StatementKind::kPass: break;
      case StatementKind::kIf: step = add({.kind = StepKind::kBranch, .statement = *part, .next = step}); break;
      case StatementKind::kReturn: step = add({.kind = StepKind::kReturn, .statement = *part}); break;
      case StatementKind::kFor: {
        // Named by their place, so that each loop has its own.
        const std::string name = "$items_" + std::to_string(++temporaries_);
        step = add({.kind = StepKind::kFor, .statement = *part, .items = name, .position = name + "_at", .next = step});
        break;
      }
      case StatementKind::kWith: {
        const StepPtr leave = add({.kind = StepKind::kLeave, .statement = *part, .next = step});
        step = add({.kind = StepKind::kEnter, .statement = *part, .next = ofBody((*part)->body, leave)});
        break;
      }
      default: step = add({.kind = StepKind::kRun, .statement = *part, .next = step}); break;
    }
  }
  return step;
}

StepPtr Steps::branch(const StepPtr& step, bool taken) {
  return ofBody(taken ? step->statement->body : step->statement->orElse, step->next);
}

StepPtr Steps::loop(const StepPtr& step) {
  return add({.kind = StepKind::kNext,
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
