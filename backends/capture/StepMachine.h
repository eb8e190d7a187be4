#pragma once

#include "backends/capture/Steps.h"
#include "program/evaluator/Evaluator.h"

#include <memory>
#include <vector>

namespace touchstone::capture {

/// Runs the steps of one function with an Evaluator, one at a time.
class StepMachine {
 public:
  StepMachine(Steps& steps, evaluator::Evaluator& evaluator, evaluator::Environment environment)
      : steps_(steps), evaluator_(evaluator), environment_(std::move(environment)) {}
  ~StepMachine(); // closes open regions, innermost first
  StepMachine(const StepMachine&) = delete;
  StepMachine& operator=(const StepMachine&) = delete;

  /// Runs a step and gives the next; null when the function has ended.
  StepPtr run(const StepPtr& step);

  evaluator::Environment& environment() { return environment_; }
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
  evaluator::Environment environment_;
  values::Value returned_;
  std::vector<StepPtr> entered_;
  std::vector<std::unique_ptr<evaluator::Context>> regions_;
};

} // namespace touchstone::capture
