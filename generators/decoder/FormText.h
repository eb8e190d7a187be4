#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

/// Pieces of the text of a form.
namespace touchstone::decoder {

inline std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// `(x0, y1)`, `(x0,)`
inline std::string tupleText(const std::vector<std::string>& items) {
  return fmt::format("({}{})", joined(items), items.size() == 1 ? "," : "");
}

/// Everywhere.
inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

} // namespace touchstone::decoder
