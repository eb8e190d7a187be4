#pragma once

#include "graph/symbols/Expression.h"

namespace touchstone::tests {

inline const symbols::Expression kFirst = symbols::Expression::ofSymbol(0), kSecond = symbols::Expression::ofSymbol(1),
                                 kThird = symbols::Expression::ofSymbol(2);

} // namespace touchstone::tests
