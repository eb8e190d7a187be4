#include "harness/triage/PatternRefinement.h"

#include "program/language/CasePrinter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::triage {

namespace {

using suppressions::Condition;
using suppressions::Pattern;
using suppressions::Place;
using suppressions::Relation;
using suppressions::Step;

bool isWord(const std::string& text) { // no number, no size: what the structure is made of
  return text == "True" || text == "False" || text == "None" || text.starts_with("torch.");
}

Place textPlace(const std::string& text) {
  return {.text = language::printString(text)};
}

class TightestPattern {
 public:
  explicit TightestPattern(const analysis::FlatProgram& program) : program_(program) {}

  Pattern make() {
    for (const analysis::FlatOperation& operation : program_.operations) {
      addStep(operation);
    }
    addConditions();
    return std::move(pattern_);
  }

 private:
  /// A name of its own for each value, from the text where that has one.
  const std::string& nameOf(int value) {
    const auto [entry, isNew] = names_.try_emplace(value);
    if (isNew) {
      std::string name = program_.values[static_cast<size_t>(value)].name;
      const bool fits = !name.empty() && name[0] >= 'a' && name[0] <= 'z';
      name = fits ? name : fmt::format("v{}", value);
      while (!taken_.insert(name).second) {
        name += "_again";
      }
      entry->second = std::move(name);
      values_.push_back(value);
    }
    return entry->second;
  }

  /// The value that a place is about: of a list its first item.
  int valueAt(const analysis::FlatOperand& operand) const {
    int value = operand.value;
    while (value >= 0 && !program_.values[static_cast<size_t>(value)].parts.empty()) {
      value = program_.values[static_cast<size_t>(value)].parts.front();
    }
    return value;
  }

  void addStep(const analysis::FlatOperation& operation) {
    Step& step = pattern_.steps.emplace_back();
    step.operators = {operation.name};
    step.region = operation.regions.empty() ? "" : operation.regions.back();
    for (const analysis::FlatOperand& operand : operation.operands) {
      const std::string word = isWord(operand.text) ? operand.text : "";
      const int value = valueAt(operand);
      if (operand.keyword.empty()) {
        step.operands.push_back({.value = value >= 0 ? nameOf(value) : "", .text = value >= 0 ? "" : word});
      } else if (!word.empty()) {
        step.operands.push_back({.keyword = operand.keyword, .text = word});
      }
    }
    const bool isInPlace = !operation.operands.empty() && operation.results.front() == operation.operands.front().value;
    for (const int result : operation.results) {
      if (!isInPlace && result >= 0) {
        step.results.push_back(nameOf(result));
      }
    }
  }

  void addWhereItHolds(Condition condition) {
    pattern_.conditions.push_back(std::move(condition));
    if (!suppressions::matches(pattern_, program_)) {
      pattern_.conditions.pop_back();
    }
  }

  void addConditions() {
    for (const std::string& request : program_.asks) {
      addWhereItHolds({.name = "calls_ask_for", .operands = {textPlace(request)}});
    }
    addWhereItHolds({.name = "calls_ask_for", .operands = {textPlace("backward")}, .isNegated = true});
    addWhereItHolds({.name = "arguments_share_memory", .isNegated = !program_.argumentsShareMemory()});
    // What an operation makes says more than what the Program is given.
    std::stable_partition(values_.begin(), values_.end(),
                          [&](int value) { return !program_.values[static_cast<size_t>(value)].isArgument; });
    for (const int each : values_) {
      addOfValue(program_.values[static_cast<size_t>(each)], names_.at(each));
    }
    for (auto right = values_.begin(); right != values_.end(); ++right) {
      for (auto left = values_.begin(); left != right; ++left) {
        addWhereItHolds({.name = "share_memory",
                         .operands = {{.value = names_.at(*left)}, {.value = names_.at(*right)}},
                         .isNegated = !program_.sharesMemory(*left, *right)});
      }
    }
  }

  void addOfValue(const analysis::FlatValue& value, const std::string& name) {
    for (const Relation relation : {Relation::kDerived, Relation::kAlias, Relation::kSame}) {
      for (const char* condition : {"is_seen", "is_returned", "is_argument", "is_differentiated"}) {
        addWhereItHolds({.name = condition, .operands = {{.value = name, .relation = relation}}});
      }
    }
    addWhereItHolds({.name = "requires_grad", .operands = {{.value = name}}, .isNegated = !value.requiresGrad});
    addWhereItHolds({.name = "is_expanded", .operands = {{.value = name}}, .isNegated = !value.isExpanded});
    addWhereItHolds({.name = "is_empty", .operands = {{.value = name}}, .isNegated = !value.isEmpty});
    if (!value.dtype.empty()) {
      addWhereItHolds({.name = "has_dtype", .operands = {{.value = name}, textPlace(value.dtype)}});
    }
  }

  const analysis::FlatProgram& program_;
  Pattern pattern_;
  std::map<int, std::string> names_;
  std::set<std::string> taken_;
  std::vector<int> values_; // in the order of their names' first use
};

using Uses = std::map<std::string, int>; // how often each name is there

void count(const std::vector<Place>& operands, Uses& uses) {
  for (const Place& each : operands) {
    uses[each.value] += each.value.empty() ? 0 : 1;
  }
}

Uses usesIn(const std::vector<Step>& steps) {
  Uses uses;
  for (const Step& step : steps) {
    count(step.operands, uses);
    for (const std::string& result : step.results) {
      ++uses[result];
    }
  }
  return uses;
}

} // namespace

Pattern tightestPattern(const analysis::FlatProgram& program) {
  return TightestPattern(program).make();
}

Pattern withoutRefinements(Pattern pattern, const PatternTest& holds) {
  const auto change = [&](auto edit) {
    Pattern looser = pattern;
    edit(looser);
    if (looser != pattern && holds(looser)) {
      pattern = std::move(looser);
    }
  };
  for (size_t i = pattern.conditions.size(); i-- > 0;) {
    change(
        [i](Pattern& looser) { looser.conditions.erase(looser.conditions.begin() + static_cast<std::ptrdiff_t>(i)); });
  }
  for (size_t number = 0; number < pattern.steps.size(); ++number) {
    change([=](Pattern& looser) { looser.steps[number].region.clear(); });
    for (size_t i = pattern.steps[number].operands.size(); i-- > 0;) {
      change([=](Pattern& looser) {
        std::vector<Place>& operands = looser.steps[number].operands;
        if (operands[i].keyword.empty()) {
          operands[i].text.clear();
        } else {
          operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
        }
      });
    }
  }
  for (size_t number = 0; number < pattern.steps.size(); ++number) {
    for (size_t i = 0; i < pattern.steps[number].operands.size(); ++i) {
      for (const Relation relation : {Relation::kDerived, Relation::kAlias}) {
        Relation& now = pattern.steps[number].operands[i].relation;
        if (!pattern.steps[number].operands[i].value.empty() && now < relation) {
          change([=](Pattern& looser) { looser.steps[number].operands[i].relation = relation; });
        }
      }
    }
  }
  return pattern;
}

Pattern withoutStep(Pattern pattern, size_t number) {
  pattern.steps.erase(pattern.steps.begin() + static_cast<std::ptrdiff_t>(number));
  const Uses names = usesIn(pattern.steps);
  std::erase_if(pattern.conditions, [&](const Condition& each) {
    return std::any_of(each.operands.begin(), each.operands.end(),
                       [&](const Place& place) { return !place.value.empty() && !names.contains(place.value); });
  });
  return pattern;
}

Pattern withoutIdleNames(Pattern pattern) {
  Uses uses = usesIn(pattern.steps);
  for (const Condition& each : pattern.conditions) {
    count(each.operands, uses);
  }
  for (Step& step : pattern.steps) {
    if (std::all_of(step.results.begin(), step.results.end(), [&](const auto& each) { return uses[each] < 2; })) {
      step.results.clear();
    }
    for (Place& operand : step.operands) {
      if (!operand.value.empty() && uses[operand.value] < 2) {
        operand = {.keyword = operand.keyword};
      }
    }
    // A place by position keeps those before it.
    const auto firstKeyword = std::find_if(step.operands.begin(), step.operands.end(),
                                           [](const Place& each) { return !each.keyword.empty(); });
    auto last = firstKeyword;
    while (last != step.operands.begin() && (last - 1)->isAnything()) {
      --last;
    }
    step.operands.erase(last, firstKeyword);
  }
  return pattern;
}

} // namespace touchstone::triage
