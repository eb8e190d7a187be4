#include "harness/suppressions/Conditions.h"
#include "program/analysis/OperatorNames.h"

#include <algorithm>
#include <functional>

namespace touchstone::suppressions {

namespace {

constexpr int kMostAttempts = 200'000;

/// Backtracking: each goal is tried in every way that fits what is bound so far.
class PatternMatcher {
 public:
  PatternMatcher(const Pattern& pattern, const analysis::FlatProgram& program)
      : pattern_(pattern), program_(program), bound_{program, {}} {}

  bool run() { return matchStep(0, 0) && attempts_ <= kMostAttempts; }

 private:
  using Next = std::function<bool()>;

  bool isTooMuch() { return ++attempts_ > kMostAttempts; }

  bool matchStep(size_t number, size_t firstOperation) {
    if (number == pattern_.steps.size()) {
      return std::all_of(pattern_.conditions.begin(), pattern_.conditions.end(),
                         [&](const Condition& each) { return holds(each); });
    }
    for (size_t at = firstOperation; at < program_.operations.size() && !isTooMuch(); ++at) {
      const analysis::FlatOperation& operation = program_.operations[at];
      if (fits(pattern_.steps[number], operation) &&
          matchOperands(pattern_.steps[number], operation, 0, [&] { return matchStep(number + 1, at + 1); })) {
        return true;
      }
    }
    return false;
  }

  static bool fits(const Step& step, const analysis::FlatOperation& operation) {
    const bool isOperator = std::any_of(step.operators.begin(), step.operators.end(), [&](const std::string& each) {
      return isGlobOf(each, operation.name) ||
             (each == analysis::kElementwise && analysis::isElementwise(operation.name));
    });
    return isOperator && (step.region.empty() || std::find(operation.regions.begin(), operation.regions.end(),
                                                           step.region) != operation.regions.end());
  }

  static const analysis::FlatOperand* operandAt(const Step& step, const analysis::FlatOperation& operation,
                                                size_t number) {
    const std::string& keyword = step.operands[number].keyword;
    const auto found = keyword.empty() ? operation.operands.begin() +
                                             static_cast<std::ptrdiff_t>(std::min(number, operation.operands.size()))
                                       : std::find_if(operation.operands.begin(), operation.operands.end(),
                                                      [&](const auto& each) { return each.keyword == keyword; });
    return found != operation.operands.end() ? &*found : nullptr;
  }

  bool matchOperands(const Step& step, const analysis::FlatOperation& operation, size_t number, const Next& next) {
    if (number == step.operands.size()) {
      return matchResults(step, operation, 0, next);
    }
    const Place& place = step.operands[number];
    const analysis::FlatOperand* operand = operandAt(step, operation, number);
    const Next rest = [&] { return matchOperands(step, operation, number + 1, next); };
    if (operand == nullptr) {
      return false;
    }
    if (place.value.empty()) {
      return (place.text.empty() || place.text == operand->text) && rest();
    }
    if (const auto known = bound_.values.find(place.value); known != bound_.values.end()) {
      return bound_.hangsOn(place.relation, *operand, known->second) && rest();
    }
    for (int value = 0; value < static_cast<int>(program_.values.size()); ++value) {
      if (bound_.hangsOn(place.relation, *operand, value) && bind(place.value, value, rest)) {
        return true;
      }
    }
    return false;
  }

  bool matchResults(const Step& step, const analysis::FlatOperation& operation, size_t number, const Next& next) {
    if (number == step.results.size()) {
      return next();
    }
    const bool any = step.results.size() == 1;
    if (!any && operation.results.size() != step.results.size()) {
      return false;
    }
    for (size_t i = any ? 0 : number; i < (any ? operation.results.size() : number + 1); ++i) {
      const int result = operation.results[i];
      if (result >= 0 &&
          bind(step.results[number], result, [&] { return matchResults(step, operation, number + 1, next); })) {
        return true;
      }
    }
    return false;
  }

  /// The name stands for that value in what follows; one that stands for another already does not fit.
  bool bind(const std::string& name, int value, const Next& next) {
    if (isTooMuch()) {
      return false;
    }
    const auto [entry, isNew] = bound_.values.emplace(name, value);
    if (!isNew) {
      return entry->second == value && next();
    }
    const bool found = next();
    bound_.values.erase(name);
    return found;
  }

  /// A name that no step says anything of stands for nothing.
  bool holds(const Condition& condition) const {
    const bool isBound = std::all_of(condition.operands.begin(), condition.operands.end(), [&](const Place& each) {
      return each.value.empty() || bound_.values.contains(each.value);
    });
    return isBound && bound_.holds(condition);
  }

  const Pattern& pattern_;
  const analysis::FlatProgram& program_;
  Binding bound_;
  int attempts_ = 0;
};

} // namespace

bool matches(const Pattern& pattern, const analysis::FlatProgram& program) {
  return PatternMatcher(pattern, program).run();
}

} // namespace touchstone::suppressions
