#pragma once

#include "program/analysis/NameFlow.h"

#include <set>
#include <string>
#include <vector>

namespace touchstone::analysis {

/// What a backward slice begins with, besides what is returned.
struct LiveNames {
  std::set<std::string> written; // names of which every write to their memory counts, such as arguments
  AliasGroups groups; // names that share memory
  bool otherEffects = true; // a call on its own that writes to no tensor counts, such as a graph break
};

/// Names that share memory by the text of the function.
AliasGroups aliasGroupsOf(const language::Function& function);

/// The function without the statements that nothing live depends on: its return, the writes that LiveNames tells of, and
/// what these read, writes through views included. Reads the text only, so it may keep too much or too little.
language::Function sliceBackward(const language::Function& function, LiveNames live);

} // namespace touchstone::analysis
