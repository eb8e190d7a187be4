#pragma once

#include "graph/symbols/Fitting.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::symbols {

/// How a float comes about from a whole number `e`, operation by operation: another order rounds otherwise.
struct FloatForm {
  const char* prefix; // of its text, around that of `e`
  const char* suffix;
  double (*at)(double e);
  double (*inverse)(double value); // `e`, but for roundings
};

/// A float computed from symbols.
struct FloatExpression {
  const FloatForm* form = nullptr;
  Expression of;

  double at(const Assignment& assignment) const;
  std::string text() const;
};

/// As many assignments as tell one form from another, which give the same bits for most numbers.
constexpr size_t kAssignmentsForFloats = 8;

/// What these floats are, one for each assignment of the fitting: of polynomials the number itself, a power of two divided by
/// it, and what is made of these by square roots. Every bit is that of the form under every assignment. Nothing where no form
/// or more than one gives them.
std::optional<FloatExpression> fitFloat(const std::vector<double>& values, Fitting& fitting);

} // namespace touchstone::symbols
