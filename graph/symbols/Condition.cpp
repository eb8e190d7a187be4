#include "graph/symbols/Condition.h"

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <utility>

namespace touchstone::symbols {

bool Condition::isComparison(std::string_view operation) {
  constexpr std::array<std::string_view, 6> kComparisons{"==", "!=", "<", "<=", ">", ">="};
  return std::find(kComparisons.begin(), kComparisons.end(), operation) != kComparisons.end();
}

Condition Condition::of(std::string_view comparison, Expression left, Expression right, bool holds) {
  if (!isComparison(comparison)) {
    throw std::invalid_argument("no comparison of numbers: " + std::string(comparison));
  }
  if (comparison == "==" || comparison == "!=") {
    const bool isEqual = (comparison == "==") == holds;
    return {isEqual ? Relation::kEqual : Relation::kNotEqual, std::move(left), std::move(right)};
  }
  const bool isGreater = comparison == ">" || comparison == ">=";
  bool isStrict = comparison == "<" || comparison == ">";
  if (isGreater == holds) { // a > b is b < a; not (a < b) is b <= a
    std::swap(left, right);
  }
  isStrict = isStrict == holds;
  return {isStrict ? Relation::kLess : Relation::kLessOrEqual, std::move(left), std::move(right)};
}

bool Condition::holds(const Assignment& assignment) const {
  try {
    const int64_t a = left.at(assignment), b = right.at(assignment);
    switch (relation) {
      case Relation::kEqual: return a == b;
      case Relation::kNotEqual: return a != b;
      case Relation::kLess: return a < b;
      default: return a <= b;
    }
  } catch (const std::exception&) {
    return false;
  }
}

bool Condition::isTautology() const {
  const std::optional<int64_t> apart = (left - right).constant();
  return apart && Condition{relation, *apart, 0}.holds({});
}

std::set<Symbol> Condition::symbols() const {
  std::set<Symbol> symbols = left.symbols();
  symbols.merge(right.symbols());
  return symbols;
}

std::string Condition::text() const {
  switch (relation) {
    case Relation::kEqual: return "Eq(" + left.text() + ", " + right.text() + ")";
    case Relation::kNotEqual: return "Ne(" + left.text() + ", " + right.text() + ")";
    case Relation::kLess: return left.text() + " < " + right.text();
    default: return left.text() + " <= " + right.text();
  }
}

Symbol Condition::solved() const {
  if (relation != Relation::kEqual) {
    return -1;
  }
  for (const auto& [one, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (const std::optional<Symbol> symbol = one->symbol(); symbol && !other->symbols().contains(*symbol)) {
      return *symbol;
    }
  }
  return -1;
}

} // namespace touchstone::symbols
