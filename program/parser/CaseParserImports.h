#pragma once

#include "program/parser/CaseLexer.h"

#include <set>
#include <string>
#include <vector>

namespace touchstone::parser {

/// The imports of a case file.
class Imports {
 public:
  /// Of one line; throws ParseError where it is none that a case file may have.
  void read(const SourceText& source, language::Place place, const std::vector<Token>& tokens);
  /// Of a text that is no whole file.
  void assumeTorch() { hasTorch_ = true; }
  bool hasTorch() const { return hasTorch_; }
  /// `once_differentiable` of custom autograd functions, by its name alone.
  bool hasDecorator() const { return hasDecorator_; }
  /// One of language::pythonModules().
  bool has(const std::string& module) const { return modules_.contains(module); }

 private:
  std::string expected() const;
  bool hasTorch_ = false, hasDecorator_ = false;
  std::set<std::string> modules_;
};

} // namespace touchstone::parser
