#pragma once

#include "program/language/Case.h"

namespace touchstone::decoder {

/// Adds the functions that spellings of the catalogue name: hooks and the family of custom autograd functions. Those that
/// a Case does not come to use are left out by language::withoutUnusedFunctions().
void addNamedFunctions(language::Case& theCase);

} // namespace touchstone::decoder
