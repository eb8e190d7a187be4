#include "graph/symbols/FloatFitting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

namespace touchstone::symbols {

namespace {

// By degree: what is a number of one kind is a root of its square, too.
constexpr FloatForm kLinear[] = {
    {"float(", ")", [](double e) { return e; }, [](double value) { return value; }},
    {"1.0/(", ")", [](double e) { return 1.0 / e; }, [](double value) { return 1.0 / value; }},
    {"2.0/(", ")", [](double e) { return 2.0 / e; }, [](double value) { return 2.0 / value; }},
    {"4.0/(", ")", [](double e) { return 4.0 / e; }, [](double value) { return 4.0 / value; }},
    {"8.0/(", ")", [](double e) { return 8.0 / e; }, [](double value) { return 8.0 / value; }},
};

constexpr FloatForm kRoots[] = {
    {"sqrt(", ")", [](double e) { return std::sqrt(e); }, [](double value) { return value * value; }},
    {"1.0/sqrt(", ")", [](double e) { return 1.0 / std::sqrt(e); }, [](double value) { return 1.0 / (value * value); }},
    {"sqrt(1.0/(", "))", [](double e) { return std::sqrt(1.0 / e); },
     [](double value) { return 1.0 / (value * value); }},
};

constexpr FloatForm kRootsOfRoots[] = {
    {"sqrt(1.0/sqrt(", "))", [](double e) { return std::sqrt(1.0 / std::sqrt(e)); },
     [](double value) { return 1.0 / (value * value * value * value); }},
    {"sqrt(sqrt(1.0/(", ")))", [](double e) { return std::sqrt(std::sqrt(1.0 / e)); },
     [](double value) { return 1.0 / (value * value * value * value); }},
    {"1.0/sqrt(sqrt(", "))", [](double e) { return 1.0 / std::sqrt(std::sqrt(e)); },
     [](double value) { return 1.0 / (value * value * value * value); }},
};

/// The whole numbers of which the form makes the floats, bit by bit; nothing: there are none.
std::optional<std::vector<int64_t>> wholesOf(const std::vector<double>& values, const FloatForm& form) {
  constexpr double kMost = 1'000'000'000; // beyond it neighbours may have one root
  std::vector<int64_t> wholes;
  for (const double value : values) {
    const double whole = std::round(form.inverse(value));
    if (!(std::abs(whole) <= kMost) || std::bit_cast<uint64_t>(form.at(whole)) != std::bit_cast<uint64_t>(value)) {
      return std::nullopt;
    }
    wholes.push_back(static_cast<int64_t>(whole));
  }
  return wholes;
}

/// Null: there is none, or several are possible.
const FloatForm* formOf(const std::vector<double>& values) {
  const auto gives = [&](const FloatForm& form) { return wholesOf(values, form).has_value(); };
  // 1, 2, 4 and 8 divided by a number are the same but for the exponent, so that the first one stands for all.
  if (const auto* found = std::ranges::find_if(kLinear, gives); found != std::end(kLinear)) {
    return found;
  }
  for (const std::span<const FloatForm> forms : {std::span<const FloatForm>(kRoots), {kRootsOfRoots}}) {
    if (const auto found = std::ranges::find_if(forms, gives); found != forms.end()) {
      return std::ranges::count_if(forms, gives) == 1 ? &*found : nullptr;
    }
  }
  return nullptr;
}

/// `0.1/e` has nearly always the bits of `1.0/(10*e)`, and so on; powers of two change the exponent alone.
bool hasOtherFactor(const std::vector<int64_t>& wholes, const FloatForm& form) {
  int64_t common = 0;
  std::ranges::for_each(wholes, [&](int64_t each) { common = std::gcd(common, each); });
  const bool isLinear = &form >= std::begin(kLinear) && &form < std::end(kLinear);
  return isLinear ? !std::has_single_bit(static_cast<uint64_t>(common)) : common != 1;
}

/// Less than a product by what is subtracted from the number of elements. What was rounded or bounded under some assignments may
/// be something else under others.
std::optional<Expression> fitPolynomial(const std::vector<int64_t>& wholes, Fitting& fitting) {
  constexpr int64_t kMostSubtracted = 3;
  for (int64_t subtracted = 0; subtracted <= kMostSubtracted; ++subtracted) {
    std::vector<int64_t> values;
    std::ranges::transform(wholes, std::back_inserter(values), [&](int64_t each) { return each + subtracted; });
    const std::optional<Expression> found = fitting.fit(values);
    if (found && found->isPolynomial()) {
      return *found - Expression(subtracted);
    }
  }
  return std::nullopt;
}

} // namespace

double FloatExpression::at(const Assignment& assignment) const {
  return form->at(static_cast<double>(of.at(assignment)));
}

std::string FloatExpression::text() const {
  return form->prefix + of.text() + form->suffix;
}

std::optional<FloatExpression> fitFloat(const std::vector<double>& values, Fitting& fitting) {
  const FloatForm* form = formOf(values);
  const std::vector<int64_t> wholes = form == nullptr ? std::vector<int64_t>() : *wholesOf(values, *form);
  const std::optional<Expression> of =
      form == nullptr || hasOtherFactor(wholes, *form) ? std::nullopt : fitPolynomial(wholes, fitting);
  return of ? std::optional(FloatExpression{form, *of}) : std::nullopt;
}

} // namespace touchstone::symbols
