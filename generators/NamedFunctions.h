#pragma once

#include "graph/program/Case.h"

namespace touchstone::generators {

/// Adds the functions that spellings of the catalogue name: hooks and the family of custom autograd functions.
void addNamedFunctions(graph::Case& theCase);
/// Leaves out those of them that no statement names.
void dropUnusedFunctions(graph::Case& theCase);

} // namespace touchstone::generators
