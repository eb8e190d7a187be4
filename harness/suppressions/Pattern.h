#pragma once

#include "program/analysis/FlatProgram.h"

#include <string>
#include <vector>

namespace touchstone::suppressions {

/// How what stands in a place hangs on a named value; the closest comes first.
enum class Relation {
  kSame, // `x`: it is that value, or a list with it
  kAlias, // `alias(x)`: it shares memory with it; views between are allowed
  kDerived, // `derived(x)`: it is computed from it, by whatever is between
};

/// An operand of a step or a condition. With neither a value nor a text, `_`, anything may stand there.
struct Place {
  std::string keyword = {}; // empty: by position
  std::string value = {}; // the name of the value that it hangs on
  Relation relation = Relation::kSame;
  std::string text = {}; // what has to stand there: `False`
  bool isAnything() const { return value.empty() && text.empty(); }
  bool operator==(const Place&) const = default;
};

/// One operation: `y = 'unbind|split'(x, _)`, perhaps inside `with no_grad:`.
struct Step {
  std::vector<std::string> operators; // any of them; `*` stands for any letters
  std::vector<Place> operands; // the operation may have more behind them
  std::vector<std::string> results; // one: any of its results; several: by position
  std::string region; // empty: anywhere
  bool operator==(const Step&) const = default;
};

/// What has to hold besides: `not is_returned(alias(x))`, `has_dtype(x, 'float*')`.
struct Condition {
  std::string name; // one of those that docs/known.md lists
  std::vector<Place> operands = {};
  bool isNegated = false;
  bool operator==(const Condition&) const = default;
};

/// A pattern over Programs: operations in this order, with anything before, between and behind them, that hang together in
/// this way. docs/known.md has the form.
struct Pattern {
  std::vector<Step> steps; // one at least
  std::vector<Condition> conditions;
  bool operator==(const Pattern&) const = default;
};

/// From the lines of a function's body in the Case language and back: readPattern(patternLines(pattern)) is the pattern. Throws
/// std::invalid_argument with the line, what is wrong with it, and what may stand there.
Pattern readPattern(const std::vector<std::string>& lines);
std::vector<std::string> patternLines(const Pattern& pattern);

/// True when the Program holds the pattern; what would take too many attempts to decide, it does not.
bool matches(const Pattern& pattern, const analysis::FlatProgram& program);

} // namespace touchstone::suppressions
