#include "generators/catalogue/Parts.h"

#include <algorithm>
#include <stdexcept>

namespace touchstone::catalogue {

namespace {

constexpr std::string_view kAll = "all";

} // namespace

std::vector<std::string> namesOfParts() {
  std::vector<std::string> names;
  for (const PartName& each : kPartNames) {
    names.emplace_back(each.name);
  }
  names.emplace_back(kAll);
  return names;
}

Parts partsWithout(const std::vector<std::string>& names) {
  Parts parts = kDefaultParts;
  for (const std::string& name : names) {
    const auto named =
        std::find_if(kPartNames.begin(), kPartNames.end(), [&](const PartName& each) { return each.name == name; });
    if (name == kAll) {
      parts = {};
    } else if (named != kPartNames.end()) {
      parts.remove(named->part);
    } else {
      throw std::invalid_argument("No part of what Cases are drawn with is called `" + name +
                                  "`; generators/catalogue/Parts.h has the table.");
    }
  }
  return parts;
}

} // namespace touchstone::catalogue
