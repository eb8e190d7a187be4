#pragma once

#include <string_view>

namespace touchstone::base {

/// Levenshtein's distance: how many insertions, deletions and replacements make one text of the other. For "did you mean".
int editDistance(std::string_view left, std::string_view right);

} // namespace touchstone::base
