#pragma once

#include "program/language/Property.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::standalone {

/// What a Case makes of a template.
struct Filling {
  std::set<std::string, std::less<>> holds; // names of conditions
  std::map<std::string, std::string, std::less<>> words; // what stands for the words in capitals
  std::vector<const language::PropertyRow*> properties; // those of the lines with `each`
  bool several = false; // of them: labels say which

  bool has(std::string_view name) const { return holds.contains(name); }
};

/// A property's group, as conditions and `each` name it: `outputs`, `tensors`, …
std::string_view groupName(language::SeenOf of);

/// The Python text of a template whose lines end in the comments that `program/standalone/main_part.py` explains.
std::string fillTemplate(std::string_view pythonTemplate, const Filling& filling);

} // namespace touchstone::standalone
