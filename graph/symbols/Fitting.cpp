#include "graph/symbols/Fitting.h"

#include "graph/symbols/Condition.h"
#include "graph/symbols/Integers.h"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>

namespace touchstone::symbols {

namespace {

using Values = std::vector<int64_t>;

bool areEqual(const Values& values) {
  return std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == values[0]; });
}

/// Values of both by `combine`; nothing where it does not give all.
Values combined(const Values& left, const Values& right, const std::function<int64_t(int64_t, int64_t)>& combine) {
  Values values;
  for (size_t i = 0; i < left.size(); ++i) {
    values.push_back(combine(left[i], right[i]));
  }
  return values;
}

} // namespace

Fitting::Fitting(std::vector<Assignment> samples) : samples_(std::move(samples)) {
  for (size_t i = 0; i < samples_.at(0).size(); ++i) {
    know(Expression::ofSymbol(static_cast<Symbol>(i)));
  }
}

void Fitting::know(const Expression& expression) {
  Values values;
  try {
    for (const Assignment& sample : samples_) {
      values.push_back(expression.at(sample));
    }
  } catch (const std::exception&) {
    return; // it has no value somewhere
  }
  if (!areEqual(values) && byValues_.emplace(values, expression).second) {
    known_.push_back({expression, std::move(values)});
  }
}

std::optional<Expression> Fitting::fit(const Values& values) {
  if (areEqual(values)) {
    return Expression(values[0]);
  }
  if (const auto known = byValues_.find(values); known != byValues_.end()) {
    return known->second;
  }
  std::optional<Expression> found = search(values);
  if (found) {
    know(*found);
  }
  return found;
}

/// `e + f + g + d`, of what was known first.
std::optional<Expression> Fitting::ofThree(const Values& values) const {
  constexpr size_t kFirst = 8;
  const size_t count = std::min(known_.size(), kFirst);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i; j < count; ++j) {
      for (size_t k = j; k < count; ++k) {
        Values rest = values;
        for (const size_t each : {i, j, k}) {
          rest = combined(rest, known_[each].values, std::minus<>());
        }
        if (areEqual(rest)) {
          return known_[i].expression + known_[j].expression + known_[k].expression + Expression(rest[0]);
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Expression> Fitting::search(const Values& values) {
  for (const auto& attempt : {&Fitting::constantTimes, &Fitting::shifted}) {
    if (std::optional<Expression> found = (this->*attempt)(values)) {
      return found;
    }
  }
  for (const bool isShifted : {false, true}) {
    if (std::optional<Expression> found = product(values, isShifted, 0)) {
      return found;
    }
  }
  for (const auto& attempt : {&Fitting::ofTwo, &Fitting::scaledAndShifted, &Fitting::rounded, &Fitting::ofThree}) {
    if (std::optional<Expression> found = (this->*attempt)(values)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Expression> Fitting::constantTimes(const Values& values) const {
  for (const Known& known : known_) {
    if (known.values[0] == 0 || values[0] % known.values[0] != 0) {
      continue;
    }
    const int64_t factor = values[0] / known.values[0];
    if (factor != 0 && combined(known.values, values, [&](int64_t each, int64_t) { return factor * each; }) == values) {
      return known.expression * Expression(factor);
    }
  }
  return std::nullopt;
}

std::optional<Expression> Fitting::shifted(const Values& values) const {
  for (const Known& known : known_) {
    const Values apart = combined(values, known.values, std::minus<>());
    if (areEqual(apart)) {
      return known.expression + Expression(apart[0]);
    }
  }
  return std::nullopt;
}

/// `c*e + d`, where the samples tell more than the two numbers.
std::optional<Expression> Fitting::scaledAndShifted(const Values& values) const {
  for (const Known& known : known_) {
    for (size_t other = 1; other < values.size(); ++other) {
      const int64_t apart = known.values[other] - known.values[0];
      if (apart == 0) {
        continue;
      }
      const int64_t factor = (values[other] - values[0]) / apart;
      const Values scaled = combined(known.values, values, [&](int64_t each, int64_t) { return factor * each; });
      if (const Values rest = combined(values, scaled, std::minus<>()); areEqual(rest) && values.size() > 2) {
        return known.expression * Expression(factor) + Expression(rest[0]);
      }
      break;
    }
  }
  return std::nullopt;
}

/// Of known factors, up to five, and a number; `isShifted`: the last may be one more or less.
std::optional<Expression> Fitting::product(const Values& values, bool isShifted, int depth) const {
  if (depth > 0) {
    if (areEqual(values)) {
      return Expression(values[0]);
    }
    if (const auto known = byValues_.find(values); known != byValues_.end()) {
      return known->second;
    }
    if (isShifted) {
      if (std::optional<Expression> found = shifted(values)) {
        return found;
      }
    }
  }
  if (depth > 4) {
    return std::nullopt;
  }
  for (const Known& known : known_) {
    const bool divides = std::equal(values.begin(), values.end(), known.values.begin(),
                                    [](int64_t value, int64_t by) { return by > 1 && value != 0 && value % by == 0; });
    if (!divides) {
      continue;
    }
    if (auto rest = product(combined(values, known.values, std::divides<>()), isShifted, depth + 1)) {
      return known.expression * *rest;
    }
  }
  return std::nullopt;
}

/// `e + f + d`, `e - f + d`, the lesser or the greater of two, of which one may be a number.
std::optional<Expression> Fitting::ofTwo(const Values& values) const {
  for (size_t i = 0; i < known_.size(); ++i) {
    const Known& left = known_[i];
    const Values rest = combined(values, left.values, std::minus<>());
    if (const auto known = byValues_.find(rest); known != byValues_.end()) {
      return left.expression + known->second;
    }
    const Values negated = combined(left.values, values, std::minus<>());
    if (const auto known = byValues_.find(negated); known != byValues_.end()) {
      return left.expression - known->second;
    }
    for (size_t j = 0; j < known_.size(); ++j) {
      const Known& right = known_[j];
      const Values apart = combined(rest, right.values, std::minus<>());
      if (j >= i && areEqual(apart)) {
        return left.expression + right.expression + Expression(apart[0]);
      }
      const Values together = combined(rest, right.values, std::plus<>());
      if (j != i && areEqual(together)) {
        return left.expression - right.expression + Expression(together[0]);
      }
      if (j > i && combined(left.values, right.values, [](int64_t a, int64_t b) { return std::min(a, b); }) == values) {
        return minimum(left.expression, right.expression);
      }
      if (j > i && combined(left.values, right.values, [](int64_t a, int64_t b) { return std::max(a, b); }) == values) {
        return maximum(left.expression, right.expression);
      }
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    for (const int64_t bound : {*most, *least}) {
      if (combined(left.values, values, [&](int64_t a, int64_t) { return std::min(a, bound); }) == values) {
        return minimum(left.expression, bound);
      }
      if (combined(left.values, values, [&](int64_t a, int64_t) { return std::max(a, bound); }) == values) {
        return maximum(left.expression, bound);
      }
    }
  }
  return std::nullopt;
}

/// `((e + d)//c)*m + q`.
std::optional<Expression> Fitting::rounded(const Values& values) const {
  constexpr int64_t kDivisor = 8, kShift = 8;
  for (const Known& known : known_) {
    for (int64_t divisor = 2; divisor <= kDivisor; ++divisor) {
      for (int64_t moved = 0; moved <= 2 * kShift; ++moved) {
        const int64_t shift = moved % 2 == 0 ? -(moved / 2) : (moved + 1) / 2;
        if (shift >= divisor || shift <= -divisor) {
          continue;
        }
        const Values quotients =
            combined(known.values, values, [&](int64_t each, int64_t) { return floored(each + shift, divisor); });
        const Values apart = combined(values, quotients, std::minus<>());
        if (areEqual(apart)) {
          return floorDivision(known.expression + Expression(shift), divisor) + Expression(apart[0]);
        }
        if (quotients[0] != 0 && values[0] % quotients[0] == 0) {
          const int64_t factor = values[0] / quotients[0];
          if (combined(quotients, values, [&](int64_t each, int64_t) { return factor * each; }) == values) {
            return floorDivision(known.expression + Expression(shift), divisor) * Expression(factor);
          }
        }
      }
    }
  }
  return std::nullopt;
}

namespace {

/// Gives symbols the values that conditions give them; false: the conditions do not hold all the same.
bool repair(Assignment& assignment, const std::vector<Condition>& conditions, int64_t least) {
  for (size_t round = 0; round < 3; ++round) {
    for (const Condition& condition : conditions) {
      const Symbol solved = condition.solved();
      if (solved < 0) {
        continue;
      }
      const Expression& other = condition.left.symbol() == solved ? condition.right : condition.left;
      try {
        assignment[static_cast<size_t>(solved)] = other.at(assignment);
      } catch (const std::exception&) {
        return false;
      }
    }
  }
  return std::all_of(assignment.begin(), assignment.end(), [&](int64_t value) { return value >= least; }) &&
         std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) { return condition.holds(assignment); });
}

/// By attempt and symbol, without a pattern that sizes share.
int64_t proposed(int64_t hint, size_t symbol, size_t attempt, size_t symbols) {
  constexpr std::array<int64_t, 7> kSteps{3, 5, 2, 7, 4, 9, 6};
  const auto i = static_cast<int64_t>(symbol);
  switch (attempt % 4) {
    case 0: return hint + kSteps[(symbol + attempt) % kSteps.size()];
    case 1: return 5 + 2 * (static_cast<int64_t>(symbols) - i) + static_cast<int64_t>(attempt); // in reversed order
    case 2: return 2 + (i * 3 + static_cast<int64_t>(attempt)) % 7; // small
    default: return hint + 2 * kSteps[(symbol * 3 + attempt) % kSteps.size()] - 3;
  }
}

} // namespace

std::vector<Assignment> assignmentsLike(const Assignment& hints, size_t count,
                                        const std::vector<Condition>& conditions, int64_t least) {
  std::vector<Assignment> assignments{hints};
  constexpr size_t kAttempts = 200;
  for (size_t attempt = 0; attempt < kAttempts && assignments.size() < count; ++attempt) {
    Assignment next;
    for (size_t symbol = 0; symbol < hints.size(); ++symbol) {
      next.push_back(proposed(hints[symbol], symbol, attempt, hints.size()));
    }
    if (repair(next, conditions, least) && std::find(assignments.begin(), assignments.end(), next) == assignments.end()) {
      assignments.push_back(std::move(next));
    }
  }
  return assignments;
}

} // namespace touchstone::symbols
