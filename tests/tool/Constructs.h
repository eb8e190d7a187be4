#pragma once

#include "program/language/Case.h"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace touchstone::tool {

/// A construct of what people write around operators.
struct Construct {
  const char* name;
  std::string_view text; // by which a printed Case that has it is told; empty: told by the expressions
};

std::span<const Construct> constructs();
/// Names of those that the Case has, with those for which it needs Python.
std::set<std::string> constructsOf(const language::Case& theCase);

} // namespace touchstone::tool
