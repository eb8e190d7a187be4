#pragma once

#include "backends/capture/Steps.h"
#include "program/evaluator/Evaluator.h"
#include "program/evaluator/FunctionValues.h"

#include <memory>
#include <vector>

namespace touchstone::capture {

/// Runs the steps of one function with an Evaluator, one at a time.
class StepMachine {
 public:
  /// Functions among the variables that were loosened from others get these.
  StepMachine(Steps& steps, evaluator::Evaluator& evaluator, evaluator::Environment environment);
  ~StepMachine(); // closes open regions, innermost first
  StepMachine(const StepMachine&) = delete;
  StepMachine& operator=(const StepMachine&) = delete;

  /// Runs a step and gives the next; null when the function has ended.
  StepPtr run(const StepPtr& step);

  evaluator::Environment& environment() { return *environment_; }
  /// What a variable holds, for who goes on with other variables; see loosened().
  values::Value taken(const values::Value& value) const { return evaluator::loosened(value, *environment_); }
  const values::Value& returned() const { return returned_; }
  /// The kEnter steps of the regions that are open, outermost first.
  const std::vector<StepPtr>& regions() const { return entered_; }
  /// Closes all regions as an exception does.
  void closeRegions();
  /// Leaves all regions as at the end of the function.
  void leaveRegions();

 private:
  void leaveRegion();

  Steps& steps_;
  evaluator::Evaluator& evaluator_;
  const std::shared_ptr<evaluator::Environment> environment_;
  values::Value returned_;
  std::vector<StepPtr> entered_;
  std::vector<std::unique_ptr<evaluator::Context>> regions_;
};

} // namespace touchstone::capture
