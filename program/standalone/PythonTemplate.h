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

/// Python text whose lines end in the comments that `program/standalone/main_part.py` explains, read once.
class PythonTemplate {
 public:
  explicit PythonTemplate(std::string_view text);
  std::string fill(const Filling& filling) const;

  /// Words with `not`, `and`, `or` between them; none: always holds.
  using Condition = std::vector<std::string>;
  struct Line {
    size_t indent = 0;
    std::string text; // without indentation and marks; empty: a blank line
    Condition onlyIf, aroundIf; // what the marks say
    std::string each;
  };

 private:
  std::vector<Line> lines_;
};

} // namespace touchstone::standalone
