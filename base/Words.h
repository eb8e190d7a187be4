#pragma once

#include <cstdint>
#include <string>

namespace touchstone::base {

/// `1 finding`, `2 findings`.
std::string counted(int64_t count, const std::string& noun);

/// The text with spaces for line breaks, and none at its end: what can be a line of a file.
std::string oneLine(std::string text);

} // namespace touchstone::base
