#pragma once

#include "graph/ir/BackendInfo.h"

#include <string>
#include <string_view>

namespace touchstone::compare {

/// `native, exact`: the column of `docs/rules.md`.
std::string_view ruleSetName(ir::RuleSet set);

/// The text of `docs/rules.md`, printed from ruleTable() and rulesOf(); a test compares the file with it.
std::string rulesDocument();

} // namespace touchstone::compare
