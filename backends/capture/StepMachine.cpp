#include "backends/capture/StepMachine.h"

#include <ATen/core/grad_mode.h>

namespace touchstone::capture {

using values::Value;

namespace {

Value& valueOf(evaluator::Environment& environment, const std::string& name) {
  return environment.names.at(name);
}

} // namespace

StepMachine::StepMachine(Steps& steps, evaluator::Evaluator& evaluator, evaluator::Environment environment)
    : steps_(steps),
      evaluator_(evaluator),
      environment_(std::make_shared<evaluator::Environment>(std::move(environment))) {
  for (auto& entry : environment_->names) {
    entry.second = evaluator_.adopted(entry.second, environment_);
  }
}

StepMachine::~StepMachine() {
  closeRegions();
  environment_->finish();
}

void StepMachine::closeRegions() {
  while (!regions_.empty()) {
    regions_.pop_back();
  }
  entered_.clear();
}

void StepMachine::leaveRegion() {
  regions_.back()->leave();
  regions_.pop_back();
  entered_.pop_back();
}

void StepMachine::leaveRegions() {
  while (!regions_.empty()) {
    leaveRegion();
  }
}

StepPtr StepMachine::run(const StepPtr& step) {
  switch (step->kind) {
    case StepKind::kRun: evaluator_.execute(*step->statement, *environment_); return step->next;
    case StepKind::kBranch:
      return steps_.branch(step, evaluator_.truth(evaluator_.evaluate(*step->statement->value, *environment_)));
    case StepKind::kWhile: return steps_.loop(step);
    case StepKind::kRound: return steps_.round(step);
    case StepKind::kJump: return step->next;
    case StepKind::kFor: {
      Value iterated = evaluator_.iterated(*step->statement->value, *environment_);
      if (!iterated.is<values::ListPtr>()) { // a list that the body changes is seen as it is at each step
        iterated = Value::list(evaluator_.items(iterated));
      }
      environment_->names[step->items] = std::move(iterated);
      environment_->names[step->position] = Value(Value::Payload(int64_t{0}));
      return steps_.loop(step);
    }
    case StepKind::kNext: {
      const values::ListPtr list = valueOf(*environment_, step->items).as<values::ListPtr>();
      Value& position = valueOf(*environment_, step->position);
      const auto next = static_cast<size_t>(position.as<int64_t>());
      if (next >= list->items.size()) {
        environment_->names.erase(step->items);
        environment_->names.erase(step->position);
        return step->next;
      }
      position = Value(Value::Payload(static_cast<int64_t>(next) + 1));
      const std::string item = "$item";
      environment_->names[item] = list->items[next];
      language::Statement bind{language::StatementKind::kAssign,
                               "",
                               step->statement->targets,
                               language::makeName(item),
                               {},
                               {},
                               {},
                               step->statement->place};
      evaluator_.execute(bind, *environment_);
      environment_->names.erase(item);
      return steps_.body(step);
    }
    case StepKind::kEnter:
      regions_.push_back(evaluator_.enter(*step->statement->items.front(), *environment_));
      entered_.push_back(step);
      return step->next;
    case StepKind::kLeave: leaveRegion(); return step->next;
    case StepKind::kSwitchGrad: at::GradMode::set_enabled(step->gradMode); return step->next;
    case StepKind::kReturn:
      returned_ = step->statement->value
                      ? evaluator_.evaluate(*step->statement->value, *environment_, evaluator::Use::kMoved)
                      : Value();
      return nullptr;
  }
  return nullptr;
}

} // namespace touchstone::capture
