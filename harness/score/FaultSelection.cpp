#include "harness/score/FaultSelection.h"

#include "base/ExitStatus.h"
#include "base/NearestName.h"
#include "generators/catalogue/Draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace touchstone::score {

namespace {

/// Of a fault as the backend's name has it: `fault:NAME`, `torch:fault:NAME`.
std::string_view withoutFamily(std::string_view name) {
  constexpr std::string_view kPrefix = "fault:";
  const size_t begin = name.find(kPrefix);
  return begin == std::string_view::npos ? name : name.substr(begin + kPrefix.size());
}

bool isNamed(const faults::FaultRow& row, std::string_view given) {
  const std::string_view name = withoutFamily(given);
  return row.name == name || faults::faultClassName(row.faultClass) == name;
}

} // namespace

bool isSeen(std::string_view name) {
  return catalogue::hashName(name) % 2 == 0;
}

const std::vector<std::string>& halfNames() {
  static const std::vector<std::string> names{"seen", "unseen", "all"};
  return names;
}

std::vector<faults::FaultRow> selectFaults(std::span<const faults::FaultRow> table, const FaultSelection& selection) {
  std::vector<faults::FaultRow> selected;
  std::copy_if(table.begin(), table.end(), std::back_inserter(selected), [&](const faults::FaultRow& row) {
    const bool isInHalf = row.isControl || selection.half == "all" || isSeen(row.name) == (selection.half == "seen");
    const bool isAmongAll = selection.withSymbols || row.faultClass != faults::FaultClass::kSymbols;
    return isInHalf && ((selection.names.empty() && isAmongAll) ||
                        std::any_of(selection.names.begin(), selection.names.end(),
                                    [&](const std::string& name) { return isNamed(row, name); }));
  });
  return selected;
}

void checkNames(const std::vector<std::string>& names, const std::vector<faults::FaultRow>& known) {
  std::vector<std::string> valid;
  for (const faults::FaultRow& row : known) {
    for (const std::string_view each : {row.name, faults::faultClassName(row.faultClass)}) {
      if (std::find(valid.begin(), valid.end(), each) == valid.end()) {
        valid.emplace_back(each);
      }
    }
  }
  for (const std::string& given : names) {
    const std::string name(withoutFamily(given));
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) {
      throw base::WrongUse(fmt::format("There is no fault and no class of faults `{}`.{} docs/faults.md lists them.",
                                       name, base::didYouMean(name, valid)));
    }
  }
}

} // namespace touchstone::score
