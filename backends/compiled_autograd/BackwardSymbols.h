#pragma once

#include "backends/compiled_autograd/LiftedNumbers.h"
#include "graph/symbols/Condition.h"
#include "graph/symbols/Fitting.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::compiled_autograd {

/// What the numbers of backwards of one structure are in symbols, as far as a few of them tell: a number that has changed is a
/// symbol from then on, or computed from others; those that have changed alike are one symbol. What a few backwards tell
/// may be wrong of others: assignmentOf() says of each whether it holds.
class BackwardSymbols {
 public:
  enum class Search {
    kSimple, // sums, products, multiples
    kWide, // what a Fitting finds: roundings, bounds
  };
  enum class Least { kTwo, kWhatIsThere };

  /// `seen`: backwards that are alike, the one that is captured first. Throws symbols::NotSymbolic where numbers have changed
  /// that can be no symbols, as from 1 to 3.
  BackwardSymbols(const std::vector<LiftedNumbers>& seen, Search search, Least least);

  /// What the symbols are in the backward that is captured.
  const symbols::Assignment& hints() const { return hints_; }
  /// What must hold of symbols.
  const std::vector<symbols::Condition>& conditions() const { return conditions_; }
  /// With the assignments to capture under, the hints first; knows what is computed from symbols. Throws symbols::NotSymbolic
  /// where there are not enough assignments.
  symbols::Fitting fitting() const;
  LiftedNumbers at(const symbols::Assignment& assignment) const;
  /// Of a backward; nothing: it has other numbers, or a condition does not hold.
  std::optional<symbols::Assignment> assignmentOf(const LiftedNumbers& numbers) const;
  /// `sizes[0] is s0`, `inputs[1].stride()[0] is 3*s0`.
  std::vector<std::string> text() const;

 private:
  using Values = std::vector<int64_t>;
  symbols::Expression expressionOf(const Values& values, bool maySymbol, Search search, const std::string& name);
  std::optional<symbols::Expression> simple(const Values& values) const;
  std::optional<symbols::Expression> multipleOf(const Values& values, const Values& known,
                                                const symbols::Expression& expression) const;
  std::optional<symbols::Expression> wide(const Values& values) const;
  Values valuesAt(const symbols::Assignment& assignment) const; // of all numbers

  LiftedNumbers numbers_; // of the backward that is captured
  symbols::Assignment hints_;
  std::vector<symbols::Assignment> seen_; // what the symbols are in each backward
  std::vector<size_t> firstOf_; // by symbol: the number that it is
  std::vector<std::pair<Values, symbols::Expression>> known_; // of a value in each backward, in the order found
  std::map<size_t, symbols::Expression> varying_; // by number
  std::vector<symbols::Condition> conditions_;
};

} // namespace touchstone::compiled_autograd
