#pragma once

#include "program/language/Case.h"

namespace touchstone::generators {

/// Adds the functions that spellings of the catalogue name: hooks and the family of custom autograd functions. Those that
/// a Case does not come to use are left out by graph::withoutUnusedFunctions().
void addNamedFunctions(graph::Case& theCase);

} // namespace touchstone::generators
