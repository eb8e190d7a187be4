#include "graph/symbols/Assignments.h"

#include "graph/symbols/Integers.h"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <set>

namespace touchstone::symbols {

namespace {

/// A symbol that must be as much as an expression of others, and is less, is so much more than it.
void raise(Assignment& assignment, const Condition& condition) {
  const std::optional<Symbol> symbol = condition.right.symbol();
  const bool isBound = condition.relation == Relation::kLess || condition.relation == Relation::kLessOrEqual;
  if (!isBound || !symbol || condition.left.constant() || condition.left.symbol() ||
      condition.left.symbols().contains(*symbol) || condition.holds(assignment)) {
    return;
  }
  assignment[static_cast<size_t>(*symbol)] += condition.left.at(assignment);
}

/// Gives symbols the values that conditions give them; false: the conditions do not hold all the same.
bool repair(Assignment& assignment, const std::vector<Condition>& conditions) {
  for (size_t round = 0; round < 3; ++round) {
    for (const Condition& condition : conditions) {
      const Symbol solved = condition.solved();
      if (solved < 0) {
        raise(assignment, condition);
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
  return std::all_of(assignment.begin(), assignment.end(), [](int64_t value) { return value >= 2; }) &&
         std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) { return condition.holds(assignment); });
}

/// Between 2 and `most`, by attempt and symbol, without a pattern (the mixing of SplitMix64), but that among the assignments, where
/// there are many values, each symbol leaves every remainder of a division by 2 and 3: that tells apart what is rounded. `number`: of the assignment.
int64_t proposed(size_t symbol, size_t attempt, size_t number, int64_t hint, int64_t most) {
  uint64_t mixed = (attempt * 64 + symbol + 1) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  const int64_t value = 2 + static_cast<int64_t>((mixed ^ (mixed >> 31)) % static_cast<uint64_t>(most - 1));
  constexpr int64_t kPeriod = 6;
  if (most < 3 * kPeriod) { // few values have the remainder, and symbols would go with each other
    return value;
  }
  const auto moved = static_cast<int64_t>(symbol % 2 == 0 ? number : kPeriod * number - number);
  const int64_t missing = remaining(hint + moved - value, kPeriod);
  return value + missing <= std::max(most, kPeriod + 1) ? value + missing
                                                        : std::max<int64_t>(2, value + missing - kPeriod);
}

constexpr size_t kLarge = 2; // the number of the assignment in which all symbols are

/// Each symbol is as small as it may be once, so that a bound that a program sets is met; once all are large and odd, so that no
/// product is even in all assignments. `failed`: attempts at the assignment that comes next.
int64_t valueOf(const std::vector<Assignment>& before, size_t symbol, size_t attempt, size_t failed, int64_t most) {
  constexpr size_t kSmallAttempts = 60, kAttemptsBySize = 10;
  constexpr int64_t kSmall = 8;
  const size_t number = before.size(), count = before[0].size();
  const size_t turn = number == 1 ? 0 : number - kLarge;
  const bool hasLeast = number != kLarge && turn < 2 * count && failed < kSmallAttempts;
  if (hasLeast && symbol == turn % count) {
    return 2 + static_cast<int64_t>(failed / kAttemptsBySize);
  }
  const bool isSmall = hasLeast && attempt % 2 == 1;
  const int64_t value =
      proposed(symbol, attempt, number, before[0][symbol], isSmall ? kSmall : std::max<int64_t>(most, 4));
  return number == kLarge ? (most / 2 + value / 2) | 1 : value;
}

/// Behind the third assignment symbols take turns in being 2, 3, 4 and 5, while that goes: it tells the bounds `Min(s0 - 1, 2)`
/// and `Min(s0//2, 2)` apart. Nothing: it is not its turn.
std::optional<int64_t> leastInTurn(const std::vector<Assignment>& before, size_t symbol, size_t failed) {
  constexpr size_t kAttempts = 20, kValues = 4;
  if (before.size() <= kLarge || failed >= kAttempts) {
    return std::nullopt;
  }
  const size_t count = before[0].size(), turn = before.size() - kLarge - 1;
  const size_t above = (symbol + count - turn % count) % count + turn / count * count;
  const auto value = static_cast<int64_t>(2 + above);
  const bool isNew = std::ranges::none_of(before, [&](const Assignment& each) { return each[symbol] == value; });
  return above < kValues && isNew ? std::optional(value) : std::nullopt;
}

/// Between what conditions say of one symbol alone.
int64_t bounded(int64_t value, size_t symbol, const std::vector<Condition>& conditions) {
  int64_t least = 2, most = std::numeric_limits<int64_t>::max();
  for (const Condition& condition : conditions) {
    const int64_t strict = condition.relation == Relation::kLess ? 1 : 0;
    if (condition.relation != Relation::kLess && condition.relation != Relation::kLessOrEqual) {
      continue;
    }
    if (condition.left.symbol() == static_cast<Symbol>(symbol) && condition.right.constant()) {
      most = std::min(most, *condition.right.constant() - strict);
    }
    if (condition.right.symbol() == static_cast<Symbol>(symbol) && condition.left.constant()) {
      least = std::max(least, *condition.left.constant() + strict);
    }
  }
  if (most < least || (value >= least && value <= most)) {
    return value;
  }
  return value < least ? least + value - 2 : least + remaining(value, most - least + 1);
}

/// In all of them the two have one sum, one difference or one quotient, so that one could be taken for an expression of the other.
bool areRelated(size_t one, size_t other, const std::vector<Assignment>& assignments) {
  const Assignment& first = assignments[0];
  const auto inAll = [&](const auto& relation) { return std::ranges::all_of(assignments, relation); };
  return inAll([&](const Assignment& each) { return each[one] - each[other] == first[one] - first[other]; }) ||
         inAll([&](const Assignment& each) { return each[one] + each[other] == first[one] + first[other]; }) ||
         inAll([&](const Assignment& each) { return each[one] * first[other] == each[other] * first[one]; });
}

/// What is asked of assignments while there are others; then less.
enum class Regularity { kNew, kUnrelated, kOtherValues };

/// It is not among those before. From three assignments on no two symbols are related. Each symbol has another value than
/// before.
bool isIrregular(const Assignment& next, std::vector<Assignment> before, Regularity asked) {
  if (std::find(before.begin(), before.end(), next) != before.end() || asked == Regularity::kNew) {
    return std::find(before.begin(), before.end(), next) == before.end();
  }
  const std::set<int64_t> values(next.begin(), next.end());
  const auto sharesValue = [&](const Assignment& other) {
    return !std::equal(next.begin(), next.end(), other.begin(), std::not_equal_to<>());
  };
  if (asked == Regularity::kOtherValues && (values.size() != next.size() || std::ranges::any_of(before, sharesValue))) {
    return false;
  }
  before.push_back(next);
  for (size_t i = 0; i < next.size() && before.size() > 2; ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (areRelated(i, j, before)) {
        return false;
      }
    }
  }
  return true;
}

} // namespace

std::vector<Assignment> assignmentsLike(const Assignment& hints, size_t count, const std::vector<Condition>& conditions,
                                        int64_t most) {
  std::vector<Assignment> assignments{hints};
  constexpr size_t kAttempts = 600;
  size_t begin = 0;
  for (size_t attempt = 0; attempt < kAttempts && assignments.size() < count; ++attempt) {
    Assignment next;
    for (size_t symbol = 0; symbol < hints.size(); ++symbol) {
      const size_t failed = attempt - begin;
      const std::optional<int64_t> least = leastInTurn(assignments, symbol, failed);
      next.push_back(bounded(least ? *least : valueOf(assignments, symbol, attempt, failed, most), symbol, conditions));
    }
    const Regularity asked = attempt < kAttempts / 3       ? Regularity::kOtherValues
                             : attempt < kAttempts * 2 / 3 ? Regularity::kUnrelated
                                                           : Regularity::kNew;
    if (repair(next, conditions) && isIrregular(next, assignments, asked)) {
      assignments.push_back(std::move(next));
      begin = attempt + 1;
    }
  }
  return assignments;
}

int64_t largestSize(size_t dimensions) {
  constexpr std::array<int64_t, 6> kByDimensions{60, 60, 60, 32, 14, 9};
  return kByDimensions[std::min(dimensions, kByDimensions.size() - 1)];
}

} // namespace touchstone::symbols
