#pragma once

#include <string>
#include <vector>

namespace touchstone::base {

/// The names, nearest to `wrong` first: by their distance as they are, or by that of what stands behind the colon, so that
/// `inductr` is near `torch:inductor`.
std::vector<std::string> nearestFirst(const std::string& wrong, std::vector<std::string> names);

/// ` Did you mean `torch:inductor`?` for the nearest name, or nothing where none is near.
std::string didYouMean(const std::string& wrong, const std::vector<std::string>& names);

} // namespace touchstone::base
