#pragma once

#include "generators/catalogue/Draw.h"
#include "program/language/Case.h"

#include <span>
#include <string_view>

namespace touchstone::mutation {

/// One way to change a Case; false: it does not apply, and the Case is what it was.
struct Mutation {
  std::string_view name; // `delete a statement`
  bool (*apply)(language::Case& theCase, catalogue::Draw& draw);
  int weight = 1;
};
std::span<const Mutation> mutations();

/// The Case with one drawn change: of a statement, an operand, an attribute, the inputs, or the calls. It was not run: eager
/// may take none of it.
language::Case mutateCase(const language::Case& theCase, catalogue::Draw& draw);

// The tables, each in a file of its own.
std::span<const Mutation> programMutations();
std::span<const Mutation> callMutations(); // and those of inputs

} // namespace touchstone::mutation
