#pragma once

#include "graph/symbols/Expression.h"

#include <string>
#include <string_view>

namespace touchstone::symbols {

enum class Relation { kEqual, kNotEqual, kLess, kLessOrEqual };

/// What must hold of sizes where code runs that was compiled for symbols.
struct Condition {
  Relation relation = Relation::kEqual;
  Expression left, right;

  /// Whether an operator of Python is one that of() takes.
  static bool isComparison(std::string_view operation);
  /// Of Python's operators `==`, `!=`, `<`, `<=`, `>`, `>=`, as it is decided: where `holds` is false, its negation.
  static Condition of(std::string_view comparison, Expression left, Expression right, bool holds = true);

  /// An expression that cannot be computed, as with a division by zero, does not hold.
  bool holds(const Assignment& assignment) const;
  /// True for every assignment, as `s0 == s0`.
  bool isTautology() const;
  std::set<Symbol> symbols() const;
  /// `Eq(s0, 4)`, `Ne(s0, s1)`, `s0 < 4`, `2 <= s0`.
  std::string text() const;
  /// The symbol that the condition gives a value: `Eq(s1, s0 + 1)` gives s1. -1: none.
  Symbol solved() const;
  bool operator==(const Condition&) const = default;
};

} // namespace touchstone::symbols
