#include "generators/catalogue/Parts.h"

#include <stdexcept>

namespace touchstone::catalogue {

namespace {

constexpr const char* kAll = "all";
constexpr std::string_view kNot = "no-";

} // namespace

std::vector<std::string> namesOfParts() {
  std::vector<std::string> names{kAll, "no-" + std::string(kAll)};
  for (const PartName& each : kPartNames) {
    names.emplace_back(each.name);
    names.push_back("no-" + std::string(each.name));
  }
  return names;
}

Parts partsOf(const std::vector<std::string>& names) {
  Parts parts = kDefaultParts;
  for (const std::string& name : names) {
    const bool isWanted = !name.starts_with(kNot);
    const std::string bare = isWanted ? name : name.substr(kNot.size());
    bool isKnown = false;
    for (const PartName& each : kPartNames) {
      const bool isOfAll = bare == kAll && (!isWanted || kDefaultParts.has(each.part));
      isKnown = isKnown || bare == kAll;
      if (isOfAll || bare == each.name) {
        parts.set(each.part, isWanted);
        isKnown = true;
      }
    }
    if (!isKnown) {
      throw std::invalid_argument("No part of what Cases are drawn with is called `" + bare +
                                  "`; generators/catalogue/Parts.h has the table.");
    }
  }
  return parts;
}

} // namespace touchstone::catalogue
