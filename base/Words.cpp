#include "base/Words.h"

#include <algorithm>

namespace touchstone::base {

std::string counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char each) { return each == '\n' || each == '\r'; }, ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

} // namespace touchstone::base
