#pragma once

#include <string>

namespace touchstone::compare {

/// The text of `docs/rules.md`, printed from ruleTable() and rulesOf(); a test compares the file with it.
std::string rulesDocument();

} // namespace touchstone::compare
