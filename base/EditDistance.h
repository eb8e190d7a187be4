#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace touchstone::base {

/// Levenshtein's distance: how many insertions, deletions and replacements make one text of the other. For "did you mean".
int editDistance(std::string_view left, std::string_view right);

/// At most so many of the names that are no farther than `limit` from a wrong one, nearest first.
std::vector<std::string> namesNear(const std::string& wrong, const std::vector<std::string>& names, int limit,
                                   size_t most);

} // namespace touchstone::base
