#pragma once

#include "program/language/Case.h"

#include <cstdint>
#include <optional>

namespace touchstone::decoder {

/// Adds the functions that spellings of the catalogue name: hooks, the family of custom autograd functions, and custom operators
/// (`operators`: the seed of their bodies; none: without them). Those that a Case does not come to use are left out by
/// language::withoutUnusedFunctions().
void addNamedFunctions(language::Case& theCase, std::optional<uint64_t> operators);

} // namespace touchstone::decoder
