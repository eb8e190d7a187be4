#include "harness/triage/Tightenings.h"

#include "harness/triage/MaskProposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace touchstone::triage {

namespace {

using ConditionKind = suppressions::MaskCondition::Kind;

/// A name of its own for each value, from the text where that has one.
class ValueNames {
 public:
  explicit ValueNames(const analysis::FlatProgram& program) : program_(program) {}

  const std::string& of(int value) {
    const auto [entry, isNew] = names_.try_emplace(value);
    if (isNew) {
      std::string name = program_.values[static_cast<size_t>(value)].name;
      const bool fits = !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
                        std::all_of(name.begin(), name.end(),
                                    [](unsigned char each) { return std::isalnum(each) != 0 || each == '_'; });
      name = fits ? name : fmt::format("v{}", value);
      while (!taken_.insert(name).second) {
        name += "_again";
      }
      entry->second = std::move(name);
    }
    return entry->second;
  }

 private:
  const analysis::FlatProgram& program_;
  std::map<int, std::string> names_;
  std::set<std::string> taken_;
};

/// The value that a place is about: of a list its first item.
int valueAt(const analysis::FlatProgram& program, const analysis::FlatOperand& operand) {
  int value = operand.value;
  while (value >= 0 && !program.values[static_cast<size_t>(value)].parts.empty()) {
    value = program.values[static_cast<size_t>(value)].parts.front();
  }
  return value;
}

suppressions::MaskStep looseStep(const analysis::FlatProgram& program, const analysis::FlatOperation& operation,
                                 ValueNames& names) {
  suppressions::MaskStep step;
  step.operators = {operation.name};
  for (const analysis::FlatOperand& operand : operation.operands) {
    if (!operand.keyword.empty()) {
      continue;
    }
    suppressions::MaskOperand& place = step.operands.emplace_back();
    if (const int value = valueAt(program, operand); value >= 0) {
      place.kind = suppressions::MaskOperand::Kind::kValue;
      place.connection = suppressions::Connection::kFrom;
      place.text = names.of(value);
    }
  }
  const bool isInPlace = !operation.operands.empty() && operation.results.front() == operation.operands.front().value;
  for (const int result : operation.results) {
    if (!isInPlace && result >= 0) {
      step.results.push_back(names.of(result));
    }
  }
  return step;
}

void addConditionOnce(suppressions::Mask& mask, const suppressions::MaskCondition& condition) {
  if (std::find(mask.conditions.begin(), mask.conditions.end(), condition) == mask.conditions.end()) {
    mask.conditions.push_back(condition);
  }
}

Tightening condition(suppressions::MaskCondition wanted) {
  return [wanted = std::move(wanted)](suppressions::Mask& mask) { addConditionOnce(mask, wanted); };
}

suppressions::MaskOperand placeOf(const std::string& name,
                                  suppressions::Connection connection = suppressions::Connection::kSame) {
  suppressions::MaskOperand place;
  place.kind = suppressions::MaskOperand::Kind::kValue;
  place.connection = connection;
  place.text = name;
  return place;
}

bool isWord(const std::string& text) { // no number, no size: what the structure is made of
  return text == "True" || text == "False" || text == "None" || text.starts_with("torch.");
}

/// Of one step: how its operands hang on values, what it is given beside, the region.
void addOfStep(const analysis::FlatOperation& operation, size_t number, std::vector<Tightening>& result) {
  if (!operation.regions.empty()) {
    result.push_back(
        [number, region = operation.regions.back()](suppressions::Mask& mask) { mask.steps[number].region = region; });
  }
  size_t position = 0;
  for (const analysis::FlatOperand& operand : operation.operands) {
    if (operand.keyword.empty()) {
      for (const suppressions::Connection connection :
           {suppressions::Connection::kAlias, suppressions::Connection::kSame}) {
        result.push_back([=](suppressions::Mask& mask) {
          suppressions::Connection& now = mask.steps[number].operands[position].connection;
          now = std::min(now, connection); // the closest comes first
        });
      }
      if (isWord(operand.text)) {
        result.push_back([=, text = operand.text](suppressions::Mask& mask) {
          suppressions::MaskOperand& place = mask.steps[number].operands[position];
          place.kind = suppressions::MaskOperand::Kind::kText;
          place.text = text;
        });
      }
      ++position;
    } else if (isWord(operand.text)) {
      result.push_back([=, text = operand.text, keyword = operand.keyword](suppressions::Mask& mask) {
        suppressions::MaskOperand place;
        place.kind = suppressions::MaskOperand::Kind::kText;
        place.text = text;
        place.keyword = keyword;
        std::vector<suppressions::MaskOperand>& operands = mask.steps[number].operands;
        if (std::find(operands.begin(), operands.end(), place) == operands.end()) {
          operands.push_back(place);
        }
      });
    }
  }
}

/// Of a value: where it is seen, and what it is.
void addOfValue(const analysis::FlatValue& value, const std::string& name, std::vector<Tightening>& result) {
  for (const suppressions::Connection connection :
       {suppressions::Connection::kFrom, suppressions::Connection::kAlias, suppressions::Connection::kSame}) {
    for (const ConditionKind kind : {ConditionKind::kIsSeen, ConditionKind::kIsReturned, ConditionKind::kIsArgument,
                                     ConditionKind::kIsDifferentiated}) {
      result.push_back(condition({kind, placeOf(name, connection), "", false}));
    }
  }
  result.push_back(condition({ConditionKind::kRequiresGrad, placeOf(name), "", !value.requiresGrad}));
  result.push_back(condition({ConditionKind::kIsExpanded, placeOf(name), "", !value.isExpanded}));
  result.push_back(condition({ConditionKind::kIsEmpty, placeOf(name), "", !value.isEmpty}));
  if (!value.dtype.empty()) {
    result.push_back(condition({ConditionKind::kHasDtype, placeOf(name), value.dtype, false}));
  }
}

struct NamedValues {
  suppressions::Mask mask;
  std::vector<std::pair<int, std::string>> values; // in the order of their names' first use
};

NamedValues nameValues(const analysis::FlatProgram& program) {
  NamedValues result;
  ValueNames names(program);
  std::set<int> seen;
  const auto note = [&](int value) {
    if (value >= 0 && seen.insert(value).second) {
      result.values.emplace_back(value, names.of(value));
    }
  };
  for (const analysis::FlatOperation& operation : program.operations) {
    result.mask.steps.push_back(looseStep(program, operation, names));
    for (const analysis::FlatOperand& operand : operation.operands) {
      if (operand.keyword.empty()) {
        note(valueAt(program, operand));
      }
    }
    for (const int result_ : operation.results) {
      note(result_);
    }
  }
  return result;
}

} // namespace

suppressions::Mask loosestMask(const analysis::FlatProgram& program) {
  return nameValues(program).mask;
}

std::vector<Tightening> tighteningsOf(const analysis::FlatProgram& program) {
  std::vector<Tightening> all;
  NamedValues named = nameValues(program);
  // What an operation makes says more than what the Program is given.
  std::stable_partition(named.values.begin(), named.values.end(),
                        [&](const auto& each) { return !program.values[static_cast<size_t>(each.first)].isArgument; });
  for (const std::string& request : program.asks) {
    all.push_back(condition({ConditionKind::kCallsAsk, {}, request, false}));
  }
  if (!program.asks.contains("backward")) {
    all.push_back(condition({ConditionKind::kCallsAsk, {}, "backward", true}));
  }
  all.push_back(condition({ConditionKind::kArgumentsShareMemory, {}, "", !program.argumentsShareMemory()}));
  for (size_t number = 0; number < program.operations.size(); ++number) {
    addOfStep(program.operations[number], number, all);
  }
  for (const auto& [value, name] : named.values) {
    addOfValue(program.values[static_cast<size_t>(value)], name, all);
  }
  for (size_t right = 0; right < named.values.size(); ++right) {
    for (size_t left = 0; left < right; ++left) {
      const bool shares = program.sharesMemory(named.values[left].first, named.values[right].first);
      all.push_back(condition(
          {ConditionKind::kSharesMemory, placeOf(named.values[left].second), named.values[right].second, !shares}));
    }
  }
  // What does not hold of the Program is none.
  std::erase_if(all, [&](const Tightening& each) {
    suppressions::Mask mask = named.mask;
    each(mask);
    return mask == named.mask || !suppressions::matches(mask, program);
  });
  return all;
}

suppressions::Mask withoutIdleNames(suppressions::Mask mask) {
  std::map<std::string, int> uses;
  for (const suppressions::MaskStep& step : mask.steps) {
    for (const std::string& result : step.results) {
      ++uses[result];
    }
    for (const suppressions::MaskOperand& operand : step.operands) {
      uses[operand.text] += operand.kind == suppressions::MaskOperand::Kind::kValue ? 1 : 0;
    }
  }
  for (const suppressions::MaskCondition& each : mask.conditions) {
    ++uses[each.subject.text];
    uses[each.text] += each.kind == ConditionKind::kSharesMemory ? 1 : 0;
  }
  for (suppressions::MaskStep& step : mask.steps) {
    if (std::all_of(step.results.begin(), step.results.end(), [&](const auto& each) { return uses[each] < 2; })) {
      step.results.clear();
    }
    for (suppressions::MaskOperand& operand : step.operands) {
      if (operand.kind == suppressions::MaskOperand::Kind::kValue && uses[operand.text] < 2) {
        operand = suppressions::MaskOperand{suppressions::MaskOperand::Kind::kAnything, suppressions::Connection::kSame,
                                            "", operand.keyword};
      }
    }
    // What stands behind the last place that says something may be missing; a place by position keeps those before it.
    const auto isIdle = [](const suppressions::MaskOperand& each) {
      return each.kind == suppressions::MaskOperand::Kind::kAnything && each.keyword.empty();
    };
    const auto firstKeyword = std::find_if(step.operands.begin(), step.operands.end(),
                                           [](const suppressions::MaskOperand& each) { return !each.keyword.empty(); });
    auto lastPlace = firstKeyword;
    while (lastPlace != step.operands.begin() && isIdle(*(lastPlace - 1))) {
      --lastPlace;
    }
    step.operands.erase(lastPlace, firstKeyword);
  }
  return mask;
}

suppressions::Mask tightestMask(const analysis::FlatProgram& program) {
  suppressions::Mask mask = loosestMask(program);
  for (const Tightening& each : tighteningsOf(program)) {
    suppressions::Mask tighter = mask;
    each(tighter);
    if (suppressions::matches(tighter, program)) {
      mask = std::move(tighter);
    }
  }
  return mask;
}

} // namespace touchstone::triage
