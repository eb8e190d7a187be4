#include "graph/symbols/Expression.h"

#include "graph/symbols/Integers.h"

#include <algorithm>
#include <utility>

namespace touchstone::symbols {

/// What a polynomial is over.
struct Expression::Atom {
  Operation operation = Operation::kSymbol;
  Symbol symbol = 0;
  Expression left, right; // of what is no symbol
  std::string text;

  int64_t at(const Assignment& assignment) const {
    if (operation == Operation::kSymbol) {
      return assignment.at(static_cast<size_t>(symbol));
    }
    const int64_t a = left.at(assignment), b = right.at(assignment);
    switch (operation) {
      case Operation::kFloorDivision: return floored(a, b);
      case Operation::kRemainder: return remaining(a, b);
      case Operation::kMinimum: return std::min(a, b);
      default: return std::max(a, b);
    }
  }
};

Expression::Expression(int64_t value) : Expression(sum({Term{{}, value}})) {}

Expression::Expression(std::vector<Term> terms)
    : terms_(terms.empty() ? nullptr : std::make_shared<const std::vector<Term>>(std::move(terms))),
      text_(terms_ == nullptr ? "0" : textOf(*terms_)) {}

Expression Expression::ofSymbol(Symbol symbol) {
  return Expression(std::vector<Term>{
      Term{{std::make_shared<const Atom>(Atom{.symbol = symbol, .text = "s" + std::to_string(symbol)})}, 1}});
}

bool Expression::precedes(const Atom& left, const Atom& right) {
  const bool isLeftSymbol = left.operation == Operation::kSymbol, isRightSymbol = right.operation == Operation::kSymbol;
  if (isLeftSymbol != isRightSymbol) {
    return isLeftSymbol;
  }
  return isLeftSymbol ? left.symbol < right.symbol : left.text < right.text;
}

/// Lexicographic, higher powers first, the constant last.
std::strong_ordering Expression::order(const std::vector<Factor>& left, const std::vector<Factor>& right) {
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (precedes(*left[i], *right[i])) {
      return std::strong_ordering::less;
    }
    if (precedes(*right[i], *left[i])) {
      return std::strong_ordering::greater;
    }
  }
  return right.size() <=> left.size();
}

/// Terms of the same factors become one.
std::vector<Expression::Term> Expression::sum(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& left, const Term& right) { return order(left.factors, right.factors) < 0; });
  std::vector<Term> merged;
  for (Term& term : terms) {
    if (!merged.empty() && order(merged.back().factors, term.factors) == 0) {
      merged.back().coefficient = added(merged.back().coefficient, term.coefficient);
    } else {
      merged.push_back(std::move(term));
    }
  }
  std::erase_if(merged, [](const Term& term) { return term.coefficient == 0; });
  return merged;
}

std::string Expression::productText(const Term& term) {
  std::string text;
  const uint64_t size =
      term.coefficient < 0 ? -static_cast<uint64_t>(term.coefficient) : static_cast<uint64_t>(term.coefficient);
  if (size != 1 || term.factors.empty()) {
    text = std::to_string(size);
  }
  for (size_t i = 0; i < term.factors.size();) {
    size_t power = 1;
    while (i + power < term.factors.size() && !precedes(*term.factors[i], *term.factors[i + power])) {
      ++power;
    }
    text += (text.empty() ? "" : "*") + term.factors[i]->text + (power > 1 ? "**" + std::to_string(power) : "");
    i += power;
  }
  return text;
}

std::string Expression::textOf(const std::vector<Term>& terms) {
  if (terms.size() == 2 && terms[0].coefficient < 0 && terms[0].factors.size() == 1 && terms[1].factors.empty() &&
      terms[1].coefficient > 0) { // `5 - s0`, as sympy has it
    return productText(terms[1]) + " - " + productText(terms[0]);
  }
  std::string text;
  for (const Term& term : terms) {
    if (text.empty()) {
      text = (term.coefficient < 0 ? "-" : "") + productText(term);
    } else {
      text += (term.coefficient < 0 ? " - " : " + ") + productText(term);
    }
  }
  return text;
}

Expression Expression::ofAtom(Operation operation, const Expression& left, const Expression& right) {
  Atom atom{.operation = operation, .left = left, .right = right};
  const auto inside = [](const Expression& each) {
    const bool isPlain =
        each.constant().value_or(-1) >= 0 || each.symbol() ||
        (each.terms_->size() == 1 && each.terms_->front().factors.size() == 1 && each.terms_->front().coefficient == 1);
    return isPlain ? each.text() : "(" + each.text() + ")";
  };
  switch (operation) {
    case Operation::kFloorDivision: atom.text = "(" + inside(left) + "//" + inside(right) + ")"; break;
    case Operation::kRemainder: atom.text = "Mod(" + left.text() + ", " + right.text() + ")"; break;
    case Operation::kMinimum: atom.text = "Min(" + left.text() + ", " + right.text() + ")"; break;
    default: atom.text = "Max(" + left.text() + ", " + right.text() + ")"; break;
  }
  return Expression(std::vector<Term>{Term{{std::make_shared<const Atom>(std::move(atom))}, 1}});
}

std::optional<int64_t> Expression::constant() const {
  if (terms_ == nullptr) {
    return 0;
  }
  const bool isConstant = terms_->size() == 1 && terms_->front().factors.empty();
  return isConstant ? std::optional(terms_->front().coefficient) : std::nullopt;
}

std::optional<Symbol> Expression::symbol() const {
  if (terms_ == nullptr || terms_->size() != 1 || terms_->front().coefficient != 1 ||
      terms_->front().factors.size() != 1 || terms_->front().factors[0]->operation != Operation::kSymbol) {
    return std::nullopt;
  }
  return terms_->front().factors[0]->symbol;
}

bool Expression::isPolynomial() const {
  return terms_ == nullptr || std::ranges::all_of(*terms_, [](const Term& term) {
           return std::ranges::all_of(term.factors,
                                      [](const Factor& factor) { return factor->operation == Operation::kSymbol; });
         });
}

std::optional<int64_t> Expression::least() const {
  if (!isPolynomial() || std::ranges::any_of(*terms_, [](const Term& term) { return term.coefficient < 0; })) {
    return std::nullopt;
  }
  const std::set<Symbol> all = symbols();
  return at(Assignment(all.empty() ? 0 : static_cast<size_t>(*all.rbegin()) + 1, 2));
}

std::set<Symbol> Expression::symbols() const {
  std::set<Symbol> symbols;
  for (size_t i = 0; terms_ != nullptr && i < terms_->size(); ++i) {
    for (const Factor& factor : (*terms_)[i].factors) {
      if (factor->operation == Operation::kSymbol) {
        symbols.insert(factor->symbol);
      } else {
        symbols.merge(factor->left.symbols());
        symbols.merge(factor->right.symbols());
      }
    }
  }
  return symbols;
}

int64_t Expression::at(const Assignment& assignment) const {
  int64_t total = 0;
  for (size_t i = 0; terms_ != nullptr && i < terms_->size(); ++i) {
    int64_t product = (*terms_)[i].coefficient;
    for (const Factor& factor : (*terms_)[i].factors) {
      product = multiplied(product, factor->at(assignment));
    }
    total = added(total, product);
  }
  return total;
}

Expression operator+(const Expression& left, const Expression& right) {
  std::vector<Expression::Term> terms;
  for (const Expression* each : {&left, &right}) {
    if (each->terms_ != nullptr) {
      terms.insert(terms.end(), each->terms_->begin(), each->terms_->end());
    }
  }
  return Expression(Expression::sum(std::move(terms)));
}

Expression operator-(const Expression& left, const Expression& right) {
  return left + right * Expression(-1);
}

Expression operator*(const Expression& left, const Expression& right) {
  std::vector<Expression::Term> terms;
  for (size_t i = 0; left.terms_ != nullptr && right.terms_ != nullptr && i < left.terms_->size(); ++i) {
    for (const Expression::Term& other : *right.terms_) {
      const Expression::Term& term = (*left.terms_)[i];
      Expression::Term product{term.factors, multiplied(term.coefficient, other.coefficient)};
      product.factors.insert(product.factors.end(), other.factors.begin(), other.factors.end());
      std::stable_sort(product.factors.begin(), product.factors.end(),
                       [](const auto& a, const auto& b) { return Expression::precedes(*a, *b); });
      terms.push_back(std::move(product));
    }
  }
  return Expression(Expression::sum(std::move(terms)));
}

/// What a divisor of one term goes into without a remainder, divided by it, and the rest.
std::pair<std::vector<Expression::Term>, std::vector<Expression::Term>> Expression::divided(const Expression& dividend,
                                                                                            const Expression& divisor) {
  std::pair<std::vector<Term>, std::vector<Term>> parts;
  const Term* by = divisor.terms_ != nullptr && divisor.terms_->size() == 1 ? &divisor.terms_->front() : nullptr;
  for (size_t i = 0; dividend.terms_ != nullptr && i < dividend.terms_->size(); ++i) {
    Term term = (*dividend.terms_)[i];
    bool isWhole = by != nullptr && term.coefficient % by->coefficient == 0;
    for (size_t j = 0; isWhole && j < by->factors.size(); ++j) {
      const auto found = std::find_if(term.factors.begin(), term.factors.end(),
                                      [&](const Factor& each) { return each->text == by->factors[j]->text; });
      isWhole = found != term.factors.end();
      if (isWhole) {
        term.factors.erase(found);
      }
    }
    if (isWhole) {
      term.coefficient /= by->coefficient;
      parts.first.push_back(std::move(term));
    } else {
      parts.second.push_back((*dividend.terms_)[i]);
    }
  }
  return parts;
}

Expression floorDivision(const Expression& dividend, const Expression& divisor) {
  if (divisor.constant() == 0) {
    throw std::domain_error("an expression of sizes is divided by zero");
  }
  auto [whole, rest] = Expression::divided(dividend, divisor);
  const Expression quotient(Expression::sum(std::move(whole)));
  const Expression remainder(Expression::sum(std::move(rest)));
  if (remainder.constant() && divisor.constant()) {
    return quotient + Expression(floored(*remainder.constant(), *divisor.constant()));
  }
  if (remainder.constant() == 0) {
    return quotient;
  }
  if (const int64_t by = divisor.constant().value_or(0); by > 0) { // of `(s0 - 1)//2` and `(s0 + 1)//2` one form stays
    const Expression::Term& last = remainder.terms_->back();
    const int64_t moved = last.factors.empty() ? floored(last.coefficient, by) : 0;
    return quotient + Expression(moved) +
           Expression::ofAtom(Expression::Operation::kFloorDivision, remainder - Expression(moved * by), divisor);
  }
  return quotient + Expression::ofAtom(Expression::Operation::kFloorDivision, remainder, divisor);
}

Expression remainder(const Expression& dividend, const Expression& divisor) {
  if (divisor.constant() == 0) {
    throw std::domain_error("an expression of sizes is divided by zero");
  }
  const Expression rest(Expression::sum(Expression::divided(dividend, divisor).second));
  if (rest.constant() && divisor.constant()) {
    return remaining(*rest.constant(), *divisor.constant());
  }
  return rest.constant() == 0 ? rest : Expression::ofAtom(Expression::Operation::kRemainder, rest, divisor);
}

Expression minimum(const Expression& left, const Expression& right) {
  if (const std::optional<int64_t> apart = (left - right).constant()) {
    return *apart < 0 ? left : right;
  }
  const bool isInOrder = left.text() < right.text();
  return Expression::ofAtom(Expression::Operation::kMinimum, isInOrder ? left : right, isInOrder ? right : left);
}

Expression maximum(const Expression& left, const Expression& right) {
  if (const std::optional<int64_t> apart = (left - right).constant()) {
    return *apart < 0 ? right : left;
  }
  const bool isInOrder = left.text() < right.text();
  return Expression::ofAtom(Expression::Operation::kMaximum, isInOrder ? left : right, isInOrder ? right : left);
}

} // namespace touchstone::symbols
