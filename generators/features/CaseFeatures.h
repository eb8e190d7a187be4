#pragma once

#include "program/language/Case.h"

#include <set>

namespace touchstone::features {

/// What a Case exercises, read off its text; for the figures of a valid campaign.
struct CaseFeatures {
  int operations = 0; // operator calls of the Program and of functions that it hands variables on to under their names
  int operationsReachingOutput = 0; // of these, what returned values and writes to arguments depend on
  bool aliasedInputs = false; // some `inputs` function gives two tensors that share memory
  bool mutation = false; // the Program writes to a tensor
  bool backward = false; // some call has one
  bool customOperators = false; // the Program calls one, or what it calls does
  int sizeAssignments = 0; // how many sets of sizes the tensors have that `inputs` functions make for calls
  bool changedCall = false; // a later call uses another `inputs` function or another grad mode than the first
};
CaseFeatures describeCase(const language::Case& theCase);

/// The simple statements that returned values and writes to arguments depend on.
std::set<const language::Statement*> statementsReachingOutput(const language::Case& theCase);

} // namespace touchstone::features
