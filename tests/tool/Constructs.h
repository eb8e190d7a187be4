#pragma once

#include "program/language/Case.h"

#include <span>
#include <string_view>
#include <vector>

namespace touchstone::tool {

/// A construct of what people write around operators.
struct Construct {
  const char* name;
  std::string_view text; // by which a printed Case that has it is told
  bool ofTorch = false; // drawn where backends of the torch family compile alone: parts `python` and `flags`
  bool (*isIn)(const language::Case& theCase) = nullptr; // in the place of the text
};

std::span<const Construct> constructs();
/// Those that the Case has. None of what is not `ofTorch` needs Python.
std::vector<const Construct*> constructsOf(const language::Case& theCase);

} // namespace touchstone::tool
