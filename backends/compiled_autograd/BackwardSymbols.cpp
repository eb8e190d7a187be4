#include "backends/compiled_autograd/BackwardSymbols.h"

#include "graph/symbols/Assignments.h"
#include "graph/symbols/SymbolicGraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

namespace touchstone::compiled_autograd {

using symbols::Assignment;
using symbols::Condition;
using symbols::Expression;
using symbols::NotSymbolic;
using symbols::Symbol;

BackwardSymbols::BackwardSymbols(const std::vector<LiftedNumbers>& seen, Search search, Least least)
    : numbers_(seen.at(0)), seen_(seen.size()) {
  std::vector<Values> all;
  for (const LiftedNumbers& each : seen) {
    all.push_back(each.all());
  }
  const std::vector<bool> areSizes = numbers_.areSizes();
  std::map<Values, std::vector<size_t>> places; // of each combination of values that varies
  std::set<Values> ofSizes;
  for (size_t i = 0; i < areSizes.size(); ++i) {
    Values values;
    for (const Values& each : all) {
      values.push_back(each[i]);
    }
    if (std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == values[0]; })) {
      continue;
    }
    if (areSizes[i]) {
      ofSizes.insert(values);
    }
    places[std::move(values)].push_back(i);
  }
  // Small numbers are symbols before what is computed from them; what can be no symbol comes last.
  for (const bool maySymbol : {true, false}) {
    for (const auto& [values, numbers] : places) {
      const bool isLarge = std::all_of(values.begin(), values.end(), [](int64_t value) { return value >= 2; });
      if ((isLarge && ofSizes.contains(values)) != maySymbol) {
        continue;
      }
      const Expression expression = expressionOf(values, maySymbol, search, numbers_.nameOf(numbers[0]));
      if (firstOf_.size() < hints_.size()) {
        firstOf_.push_back(*std::find_if(numbers.begin(), numbers.end(), [&](size_t i) { return areSizes[i]; }));
      }
      for (const size_t number : numbers) {
        varying_.emplace(number, expression);
      }
      int64_t atLeast = maySymbol ? 2 : 0; // 0 and 1 are other code
      if (maySymbol && least == Least::kWhatIsThere && expression.symbol()) {
        atLeast = values[0];
      }
      conditions_.push_back(Condition::of("<=", atLeast, expression));
    }
  }
}

Expression BackwardSymbols::expressionOf(const Values& values, bool maySymbol, Search search, const std::string& name) {
  std::optional<Expression> found;
  if (!known_.empty()) {
    found = search == Search::kWide ? wide(values) : simple(values);
  }
  if (!found && !maySymbol) {
    throw NotSymbolic(fmt::format("{} has changed from {} to {}", name, values.back(), values[0]));
  }
  if (!found) {
    found = Expression::ofSymbol(static_cast<Symbol>(hints_.size()));
    hints_.push_back(values[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      seen_[i].push_back(values[i]);
    }
  }
  known_.emplace_back(values, *found);
  return *found;
}

std::optional<Expression> BackwardSymbols::multipleOf(const Values& values, const Values& known,
                                                      const Expression& expression) const {
  if (known[0] == 0 || values[0] % known[0] != 0 || values[0] / known[0] < 1) {
    return std::nullopt;
  }
  const int64_t factor = values[0] / known[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (known[i] * factor != values[i]) {
      return std::nullopt;
    }
  }
  return expression * Expression(factor);
}

/// `c*e`, `c*e*f`, `c*e*f*g`, `e + f`, `e - f`, `e + d`.
std::optional<Expression> BackwardSymbols::simple(const Values& values) const {
  constexpr size_t kFactors = 12;
  constexpr int64_t kShift = 3;
  const auto combined = [](const Values& left, const Values& right, const auto& combine) {
    Values result = left;
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = combine(left[i], right[i]);
    }
    return result;
  };
  for (const auto& [known, expression] : known_) {
    if (auto found = multipleOf(values, known, expression)) {
      return found;
    }
  }
  const size_t count = std::min(known_.size(), kFactors);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i; j < count; ++j) {
      const Values two = combined(known_[i].first, known_[j].first, std::multiplies<>());
      const Expression ofTwo = known_[i].second * known_[j].second;
      if (auto found = multipleOf(values, two, ofTwo)) {
        return found;
      }
      for (size_t k = j; k < count; ++k) {
        if (auto found =
                multipleOf(values, combined(two, known_[k].first, std::multiplies<>()), ofTwo * known_[k].second)) {
          return found;
        }
      }
    }
  }
  for (const auto& [left, ofLeft] : known_) {
    for (const auto& [right, ofRight] : known_) {
      if (combined(left, right, std::plus<>()) == values) {
        return ofLeft + ofRight;
      }
      if (combined(left, right, std::minus<>()) == values) {
        return ofLeft - ofRight;
      }
    }
  }
  for (const auto& [known, expression] : known_) {
    const int64_t apart = values[0] - known[0];
    const Values shifted = combined(known, known, [&](int64_t value, int64_t) { return value + apart; });
    if (std::abs(apart) <= kShift && shifted == values) {
      return expression + Expression(apart);
    }
  }
  return std::nullopt;
}

std::optional<Expression> BackwardSymbols::wide(const Values& values) const {
  symbols::Fitting fitting(seen_);
  for (const auto& [known, expression] : known_) {
    fitting.know(expression);
  }
  return fitting.fit(values);
}

symbols::Fitting BackwardSymbols::fitting() const {
  size_t rank = 0;
  for (const TensorState& tensor : numbers_.tensors) {
    rank = std::max(rank, tensor.sizes.size());
  }
  const size_t count = std::clamp<size_t>(hints_.size() + 2, 5, 8);
  symbols::Fitting fitting(symbols::assignmentsLike(hints_, count, conditions_, symbols::largestSize(rank)));
  if (fitting.samples().size() < 4) {
    throw NotSymbolic("there are too few other sizes");
  }
  for (const auto& [values, expression] : known_) {
    fitting.know(expression);
  }
  return fitting;
}

BackwardSymbols::Values BackwardSymbols::valuesAt(const Assignment& assignment) const {
  Values values = numbers_.all();
  for (const auto& [number, expression] : varying_) {
    values[number] = expression.at(assignment);
  }
  return values;
}

LiftedNumbers BackwardSymbols::at(const Assignment& assignment) const {
  LiftedNumbers numbers = numbers_;
  numbers.setAll(valuesAt(assignment));
  return numbers;
}

std::optional<Assignment> BackwardSymbols::assignmentOf(const LiftedNumbers& numbers) const {
  if (!numbers.isLike(numbers_)) {
    return std::nullopt;
  }
  const Values values = numbers.all();
  Assignment assignment;
  for (const size_t number : firstOf_) {
    assignment.push_back(values[number]);
  }
  const bool hold = std::all_of(conditions_.begin(), conditions_.end(),
                                [&](const Condition& condition) { return condition.holds(assignment); });
  if (!hold || valuesAt(assignment) != values) {
    return std::nullopt;
  }
  return assignment;
}

std::vector<std::string> BackwardSymbols::text() const {
  std::vector<std::string> lines;
  for (const auto& [number, expression] : varying_) {
    lines.push_back(fmt::format("{} is {}", numbers_.nameOf(number), expression.text()));
  }
  return lines;
}

} // namespace touchstone::compiled_autograd
