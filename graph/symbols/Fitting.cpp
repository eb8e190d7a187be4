#include "graph/symbols/Fitting.h"

#include "graph/symbols/Integers.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>

namespace touchstone::symbols {

namespace {

using Values = std::vector<int64_t>;

constexpr int64_t kShift = 8; // of what is computed from two sizes

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

Fitting Fitting::ofFirst(size_t samples) const {
  Fitting few({samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(samples)});
  for (const std::unique_ptr<const Known>& known : all_) {
    few.know(known->expression);
  }
  return few;
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
  if (areEqual(values)) {
    return;
  }
  if (const auto same = byValues_.find(values); same != byValues_.end()) {
    isUnsure_ = isUnsure_ || !(same->second->expression == expression);
  } else {
    all_.push_back(std::make_unique<const Known>(Known{expression, values, expression.symbols()}));
    byValues_.emplace(std::move(values), all_.back().get());
  }
}

std::optional<Expression> Fitting::fit(const Values& values, const std::set<Symbol>& likely) {
  if (areEqual(values)) {
    return Expression(values[0]);
  }
  const auto known = byValues_.find(values);
  if (known != byValues_.end() &&
      (likely.empty() ||
       std::includes(likely.begin(), likely.end(), known->second->symbols.begin(), known->second->symbols.end()))) {
    return known->second->expression;
  }
  if (!likely.empty()) {
    if (std::optional<Expression> found = search(values, &likely)) {
      know(*found);
      return found;
    }
  }
  if (known != byValues_.end()) {
    return known->second->expression;
  }
  std::optional<Expression> found = search(values, nullptr);
  if (found) {
    know(*found);
  }
  return found;
}

/// A candidate with these values.
const Fitting::Known* Fitting::knownBy(const Values& values) const {
  const auto known = byValues_.find(values);
  const bool isCandidate = known != byValues_.end() &&
                           (of_ == nullptr || std::includes(of_->begin(), of_->end(), known->second->symbols.begin(),
                                                            known->second->symbols.end()));
  return isCandidate ? known->second : nullptr;
}

/// `e + f + g + d`, of what was known first.
std::optional<Expression> Fitting::ofThree(const Values& values) const {
  constexpr size_t kFirst = 6;
  const size_t count = std::min(known_.size(), kFirst);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i; j < count; ++j) {
      for (size_t k = j; k < count; ++k) {
        Values rest = values;
        for (const size_t each : {i, j, k}) {
          rest = combined(rest, known_[each]->values, std::minus<>());
        }
        if (areEqual(rest) && std::abs(rest[0]) <= kShift) {
          return known_[i]->expression + known_[j]->expression + known_[k]->expression + Expression(rest[0]);
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Expression> Fitting::search(const Values& values, const std::set<Symbol>* of) {
  of_ = of;
  known_.clear();
  for (const auto& each : all_) {
    if (of == nullptr || std::includes(of->begin(), of->end(), each->symbols.begin(), each->symbols.end())) {
      known_.push_back(each.get());
    }
  }
  if (std::optional<Expression> found = constantTimes(values)) {
    return found;
  }
  if (std::optional<Expression> found = shifted(values)) {
    isUnsure_ = true;
    return found;
  }
  if (std::optional<Expression> found = product(values, false, 0)) {
    return found;
  }
  isUnsure_ = true;
  if (std::optional<Expression> found = product(values, true, 0)) {
    return found;
  }
  for (const auto& attempt : {&Fitting::scaledAndShifted, &Fitting::rounded, &Fitting::extremes, &Fitting::clamped,
                              &Fitting::ofTwo, &Fitting::ofThree}) {
    if (std::optional<Expression> found = (this->*attempt)(values)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Expression> Fitting::constantTimes(const Values& values) const {
  for (const Known* each : known_) {
    const Known& known = *each;
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
  for (const Known* each : known_) {
    const Known& known = *each;
    const Values apart = combined(values, known.values, std::minus<>());
    if (areEqual(apart)) {
      return known.expression + Expression(apart[0]);
    }
  }
  return std::nullopt;
}

/// `c*e + d`, where the samples tell more than the two numbers.
std::optional<Expression> Fitting::scaledAndShifted(const Values& values) const {
  for (const Known* each : known_) {
    const Known& known = *each;
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
    if (const Known* known = knownBy(values)) {
      return known->expression;
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
  for (const Known* each : known_) {
    const Known& known = *each;
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

/// `e + f + d`, `e - f + d`.
std::optional<Expression> Fitting::ofTwo(const Values& values) const {
  for (size_t i = 0; i < known_.size(); ++i) {
    const Known& left = *known_[i];
    const Values rest = combined(values, left.values, std::minus<>());
    if (const Known* known = knownBy(rest)) {
      return left.expression + known->expression;
    }
    const Values negated = combined(left.values, values, std::minus<>());
    if (const Known* known = knownBy(negated)) {
      return left.expression - known->expression;
    }
    for (size_t j = 0; j < known_.size(); ++j) {
      const Known& right = *known_[j];
      const Values apart = combined(rest, right.values, std::minus<>());
      if (j >= i && areEqual(apart) && std::abs(apart[0]) <= kShift) {
        return left.expression + right.expression + Expression(apart[0]);
      }
      const Values together = combined(rest, right.values, std::plus<>());
      if (j != i && areEqual(together) && std::abs(together[0]) <= kShift) {
        return left.expression - right.expression + Expression(together[0]);
      }
    }
  }
  return std::nullopt;
}

/// The lesser or the greater of two, one of them perhaps some more or less.
std::optional<Expression> Fitting::extremes(const Values& values) const {
  const auto areExtremes = [&](const Values& left, const Values& right, int64_t shift, bool isLeast) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != (isLeast ? std::min(left[i], right[i] + shift) : std::max(left[i], right[i] + shift))) {
        return false;
      }
    }
    return true;
  };
  for (int64_t moved = 0; moved <= 2 * kShift; ++moved) {
    const int64_t shift = moved % 2 == 0 ? -(moved / 2) : (moved + 1) / 2;
    for (size_t i = 0; i < known_.size(); ++i) {
      for (size_t j = shift == 0 ? i + 1 : 0; j < known_.size(); ++j) {
        for (const bool isLeast : {true, false}) {
          if (i != j && areExtremes(known_[i]->values, known_[j]->values, shift, isLeast)) {
            const Expression right = known_[j]->expression + Expression(shift);
            return isLeast ? minimum(known_[i]->expression, right) : maximum(known_[i]->expression, right);
          }
        }
      }
    }
  }
  return std::nullopt;
}

/// `Min(e + d, b)`, `Max(e + d, b)`, where the bound is met in some samples and not in others.
std::optional<Expression> Fitting::clamped(const Values& values) const {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  for (const int64_t bound : {*most, *least}) {
    for (const Known* each : known_) {
      std::optional<int64_t> shift;
      bool isShifted = true;
      size_t free = 0;
      for (size_t i = 0; i < values.size() && isShifted; ++i) {
        if (values[i] != bound) {
          isShifted = !shift || values[i] - each->values[i] == *shift;
          shift = values[i] - each->values[i];
          ++free;
        }
      }
      if (!shift || !isShifted || (free < 2 && *shift != 0)) {
        continue;
      }
      const auto clamp = [&](int64_t value, int64_t) {
        return bound == *most ? std::min(value + *shift, bound) : std::max(value + *shift, bound);
      };
      if (combined(each->values, values, clamp) == values) {
        const Expression shifted = each->expression + Expression(*shift);
        return bound == *most ? minimum(shifted, bound) : maximum(shifted, bound);
      }
    }
  }
  return std::nullopt;
}

/// `((e + d)//c)*m + q`.
std::optional<Expression> Fitting::rounded(const Values& values) const {
  constexpr int64_t kDivisor = 8;
  for (const Known* each : known_) {
    const Known& known = *each;
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

} // namespace touchstone::symbols
