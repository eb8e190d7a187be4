#pragma once

#include "program/language/Ast.h"
#include "program/values/Value.h"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace touchstone::evaluator {

/// The names that a function inside another, a lambda or a comprehension binds for itself; others are those of the functions
/// around it.
struct Scope {
  std::set<std::string> own, nonlocal;
  std::set<std::string> free; // those it reads that may be variables of the functions around it
};

Scope scopeOf(const language::Function& function);
Scope scopeOfComprehension(const language::Expr& comprehension);

/// The variables of one function call. Held by a shared_ptr, it lives as long as the functions that were made inside.
struct Environment : std::enable_shared_from_this<Environment> {
  std::string function; // whose they are, as Python's __qualname__ has it; empty: not known
  std::map<std::string, values::Value> names;
  std::shared_ptr<Environment> enclosing; // of a function inside another
  std::shared_ptr<const Scope> scope; // with `enclosing`
  std::set<std::string> captured; // what functions that were made inside read

  const values::Value* find(const std::string& name) const;
  void set(const std::string& name, values::Value value);
  /// The call is over, and its pointer the last but for those of functions: of the variables only those stay that functions made
  /// inside may read, if somebody has one of these.
  void finish();

 private:
  Environment* ownerOf(const std::string& name);
};

} // namespace touchstone::evaluator
