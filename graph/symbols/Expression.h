#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::symbols {

/// The number of a symbol, which stands for a size, a stride or an int that a program is given.
using Symbol = int32_t;
/// What the symbols stand for, by number.
using Assignment = std::vector<int64_t>;

/// An integer computed from symbols, in canonical form: a sum of products of symbols and of what is no polynomial (floor
/// division, remainder, minimum, maximum). Two that are equal as polynomials over these have one form and one text, which is
/// the one that torch.fx.experimental.symbolic_shapes prints: `2*s0 + 1`, `s0*s1`, `(s0//2)`, `Mod(s0, 2)`, `Min(5, s0)`.
/// Coefficients that do not fit into 64 bits throw std::overflow_error. A value: copies share what they hold.
class Expression {
 public:
  Expression(int64_t value = 0); // NOLINT(google-explicit-constructor): a number is an expression
  static Expression ofSymbol(Symbol symbol);

  /// Its value, where it has no symbols.
  std::optional<int64_t> constant() const;
  /// The symbol that it is.
  std::optional<Symbol> symbol() const;
  std::set<Symbol> symbols() const;
  /// Has no division, remainder, minimum or maximum.
  bool isPolynomial() const;
  /// What it is at least where no symbol is below 2, of a polynomial without a negative coefficient.
  std::optional<int64_t> least() const;
  /// Throws std::domain_error for a division by zero, std::overflow_error.
  int64_t at(const Assignment& assignment) const;
  const std::string& text() const { return text_; }

  friend Expression operator+(const Expression& left, const Expression& right);
  friend Expression operator-(const Expression& left, const Expression& right);
  friend Expression operator*(const Expression& left, const Expression& right);
  /// Rounded down, as `//` of Python.
  friend Expression floorDivision(const Expression& dividend, const Expression& divisor);
  /// With the sign of the divisor, as `%` of Python.
  friend Expression remainder(const Expression& dividend, const Expression& divisor);
  friend Expression minimum(const Expression& left, const Expression& right);
  friend Expression maximum(const Expression& left, const Expression& right);
  friend bool operator==(const Expression& left, const Expression& right) { return left.text_ == right.text_; }

 private:
  struct Atom;
  using Factor = std::shared_ptr<const Atom>;
  struct Term {
    std::vector<Factor> factors; // in the order of atoms
    int64_t coefficient = 0;
  };
  enum class Operation { kSymbol, kFloorDivision, kRemainder, kMinimum, kMaximum };

  explicit Expression(std::vector<Term> terms);
  static bool precedes(const Atom& left, const Atom& right);
  static std::strong_ordering order(const std::vector<Factor>& left, const std::vector<Factor>& right);
  static std::vector<Term> sum(std::vector<Term> terms);
  static Expression ofAtom(Operation operation, const Expression& left, const Expression& right);
  static std::string textOf(const std::vector<Term>& terms);
  static std::string productText(const Term& term);
  static std::pair<std::vector<Term>, std::vector<Term>> divided(const Expression& dividend, const Expression& divisor);

  std::shared_ptr<const std::vector<Term>> terms_; // none: zero
  std::string text_;
};

} // namespace touchstone::symbols
