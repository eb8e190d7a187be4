#pragma once

#include "graph/symbols/Expression.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace touchstone::symbols {

/// Finds the expression that numbers are, of which is known what they are under several assignments of the symbols: a program
/// that was traced under each leaves one number for each. The idea is that of program synthesis from examples: candidates in
/// the order of their simplicity, over what was found before.
///
/// Under few assignments several expressions may have the same numbers. Assignments tell more apart the less regular they
/// are: see assignmentsLike().
class Fitting {
 public:
  /// `samples`: at least one, of equal lengths.
  explicit Fitting(std::vector<Assignment> samples);

  const std::vector<Assignment>& samples() const { return samples_; }
  /// The simplest expression that has these values, one for each sample; nothing where none is simple enough. One of these
  /// symbols alone is taken before one of others.
  std::optional<Expression> fit(const std::vector<int64_t>& values, const std::set<Symbol>& likely = {});
  /// A candidate from now on, of what others are built.
  void know(const Expression& expression);
  /// Of so many of the samples alone, with the candidates that there are.
  Fitting ofFirst(size_t samples) const;
  /// Something that was found is not a candidate, a multiple of one or a product, or two candidates have the same values: more
  /// assignments would tell which expression is meant.
  bool isUnsure() const { return isUnsure_; }

 private:
  using Values = std::vector<int64_t>;
  struct Known {
    Expression expression;
    Values values;
    std::set<Symbol> symbols;
  };

  std::optional<Expression> search(const Values& values, const std::set<Symbol>* of);
  const Known* knownBy(const Values& values) const;
  std::optional<Expression> constantTimes(const Values& values) const;
  std::optional<Expression> shifted(const Values& values) const;
  std::optional<Expression> scaledAndShifted(const Values& values) const;
  std::optional<Expression> product(const Values& values, bool isShifted, int depth) const;
  std::optional<Expression> ofTwo(const Values& values) const;
  std::optional<Expression> ofThree(const Values& values) const;
  std::optional<Expression> extremes(const Values& values) const;
  std::optional<Expression> clamped(const Values& values) const;
  std::optional<Expression> rounded(const Values& values) const;

  std::vector<Assignment> samples_;
  bool isUnsure_ = false;
  std::vector<std::unique_ptr<const Known>> all_;
  std::map<Values, const Known*> byValues_;
  // Where an expression is searched: candidates alone.
  std::vector<const Known*> known_;
  const std::set<Symbol>* of_ = nullptr; // the symbols that it may have; null: all
};

} // namespace touchstone::symbols
