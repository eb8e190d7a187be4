#include "harness/suppressions/Mask.h"
#include "program/analysis/OperatorNames.h"

#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace touchstone::suppressions {

namespace {

using Kind = MaskCondition::Kind;

constexpr int kMostAttempts = 200'000;

bool isGlobOf(const std::string& pattern, const std::string& name) {
  // The brackets of `[]` are meant as they are.
  return pattern == name || (pattern.find('*') != std::string::npos && fnmatch(pattern.c_str(), name.c_str(), 0) == 0);
}

/// Backtracking: each goal is tried in every way that fits what is bound so far.
class MaskMatcher {
 public:
  MaskMatcher(const Mask& mask, const analysis::FlatProgram& program) : mask_(mask), program_(program) {
    const bool asksWhatIsSeen = std::any_of(mask.conditions.begin(), mask.conditions.end(),
                                            [](const MaskCondition& each) { return each.kind == Kind::kIsSeen; });
    if (asksWhatIsSeen) {
      seen_ = program.outputs;
      seen_.insert(seen_.end(), program.arguments.begin(), program.arguments.end());
    }
  }

  bool run() { return matchStep(0, 0) && attempts_ <= kMostAttempts; }

 private:
  using Next = std::function<bool()>;

  bool isTooMuch() { return ++attempts_ > kMostAttempts; }

  bool matchStep(size_t number, size_t firstOperation) {
    if (number == mask_.steps.size()) {
      return matchConditions(0);
    }
    for (size_t at = firstOperation; at < program_.operations.size() && !isTooMuch(); ++at) {
      const analysis::FlatOperation& operation = program_.operations[at];
      if (fits(mask_.steps[number], operation) &&
          matchOperands(mask_.steps[number], operation, 0, [&] { return matchStep(number + 1, at + 1); })) {
        return true;
      }
    }
    return false;
  }

  static bool fits(const MaskStep& step, const analysis::FlatOperation& operation) {
    const bool isOperator = std::any_of(step.operators.begin(), step.operators.end(), [&](const std::string& each) {
      return isGlobOf(each, operation.name) ||
             (each == analysis::kElementwise && analysis::isElementwise(operation.name));
    });
    return isOperator && (step.region.empty() || std::find(operation.regions.begin(), operation.regions.end(),
                                                           step.region) != operation.regions.end());
  }

  static const analysis::FlatOperand* operandAt(const MaskStep& step, const analysis::FlatOperation& operation,
                                                size_t number) {
    const std::string& keyword = step.operands[number].keyword;
    if (keyword.empty()) {
      return number < operation.operands.size() ? &operation.operands[number] : nullptr;
    }
    const auto found = std::find_if(operation.operands.begin(), operation.operands.end(),
                                    [&](const analysis::FlatOperand& each) { return each.keyword == keyword; });
    return found != operation.operands.end() ? &*found : nullptr;
  }

  bool matchOperands(const MaskStep& step, const analysis::FlatOperation& operation, size_t number, const Next& next) {
    if (number == step.operands.size()) {
      return matchResults(step, operation, 0, next);
    }
    const MaskOperand& place = step.operands[number];
    const analysis::FlatOperand* operand = operandAt(step, operation, number);
    const Next rest = [&] { return matchOperands(step, operation, number + 1, next); };
    if (operand == nullptr) {
      return false;
    }
    switch (place.kind) {
      case MaskOperand::Kind::kAnything: return rest();
      case MaskOperand::Kind::kText: return operand->text == place.text && rest();
      case MaskOperand::Kind::kValue: return operand->value >= 0 && matchPlace(place, {operand, 1}, rest);
    }
    return false;
  }

  bool matchResults(const MaskStep& step, const analysis::FlatOperation& operation, size_t number, const Next& next) {
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
    const auto [entry, isNew] = bound_.emplace(name, value);
    if (!isNew) {
      return entry->second == value && next();
    }
    const bool found = next();
    bound_.erase(name);
    return found;
  }

  bool hangsOn(Connection connection, const analysis::FlatOperand& operand, int value) const {
    const bool isSame = program_.isSame(operand.value, value);
    const bool isAlias = isSame || program_.sharesMemory(operand.value, value);
    switch (connection) {
      case Connection::kSame: return isSame;
      case Connection::kAlias: return isAlias;
      case Connection::kFrom: return isAlias || operand.sources.contains(value);
    }
    return false;
  }

  /// One of the operands hangs on the place's value in this way.
  bool matchPlace(const MaskOperand& place, std::pair<const analysis::FlatOperand*, size_t> operands,
                  const Next& next) {
    const auto any = [&](int value) {
      return std::any_of(operands.first, operands.first + operands.second, [&](const analysis::FlatOperand& each) {
        return each.value >= 0 && hangsOn(place.connection, each, value);
      });
    };
    if (const auto found = bound_.find(place.text); found != bound_.end()) {
      return any(found->second) && next();
    }
    for (int value = 0; value < static_cast<int>(program_.values.size()); ++value) {
      if (any(value) && bind(place.text, value, next)) {
        return true;
      }
    }
    return false;
  }

  bool matchConditions(size_t number) {
    if (number == mask_.conditions.size()) {
      return true;
    }
    const MaskCondition& condition = mask_.conditions[number];
    const Next rest = [&] { return matchConditions(number + 1); };
    const bool namesOne = condition.subject.kind == MaskOperand::Kind::kValue;
    if ((namesOne && !bound_.contains(condition.subject.text)) ||
        (condition.kind == Kind::kSharesMemory && !bound_.contains(condition.text))) {
      return false; // no step says what the name stands for
    }
    const std::vector<analysis::FlatOperand>* among = condition.kind == Kind::kIsArgument         ? &program_.arguments
                                                      : condition.kind == Kind::kIsReturned       ? &program_.outputs
                                                      : condition.kind == Kind::kIsSeen           ? &seen_
                                                      : condition.kind == Kind::kIsDifferentiated ? &program_.roots
                                                                                                  : nullptr;
    if (among != nullptr) {
      const auto place = std::pair(among->data(), among->size());
      return condition.isNegated ? !matchPlace(condition.subject, place, [] { return true; }) && rest()
                                 : matchPlace(condition.subject, place, rest);
    }
    return holds(condition) != condition.isNegated && rest();
  }

  bool holds(const MaskCondition& condition) const {
    const auto named = [&](const std::string& name) { return bound_.at(name); };
    const auto valueOf = [&](const std::string& name) -> const analysis::FlatValue& {
      return program_.values[static_cast<size_t>(named(name))];
    };
    const std::string& subject = condition.subject.text;
    switch (condition.kind) {
      case Kind::kRequiresGrad: return valueOf(subject).requiresGrad;
      case Kind::kHasDtype: return isGlobOf(condition.text, valueOf(subject).dtype);
      case Kind::kIsEmpty: return valueOf(subject).isEmpty;
      case Kind::kIsExpanded: return valueOf(subject).isExpanded;
      case Kind::kSharesMemory: return program_.sharesMemory(named(subject), named(condition.text));
      case Kind::kArgumentsShareMemory: return program_.argumentsShareMemory();
      case Kind::kCallsAsk: return program_.asks.contains(condition.text);
      default: return false;
    }
  }

  const Mask& mask_;
  const analysis::FlatProgram& program_;
  std::vector<analysis::FlatOperand> seen_; // where a condition asks
  std::map<std::string, int> bound_;
  int attempts_ = 0;
};

} // namespace

bool matches(const Mask& mask, const analysis::FlatProgram& program) {
  return MaskMatcher(mask, program).run();
}

} // namespace touchstone::suppressions
