#pragma once

#include "graph/symbols/Expression.h"

#include <ostream>

namespace touchstone::symbols {

/// How GoogleTest prints one.
inline void PrintTo(const Expression& expression, std::ostream* stream) {
  *stream << expression.text();
}

} // namespace touchstone::symbols

namespace touchstone::tests {

inline const symbols::Expression kFirst = symbols::Expression::ofSymbol(0), kSecond = symbols::Expression::ofSymbol(1),
                                 kThird = symbols::Expression::ofSymbol(2);

} // namespace touchstone::tests
