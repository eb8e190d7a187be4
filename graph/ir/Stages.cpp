#include "graph/ir/Stages.h"

#include <algorithm>
#include <stdexcept>

namespace touchstone::ir {

bool isStage(const std::string& name, const std::string& stage) {
  return name == stage || name.starts_with(stage + "_");
}

const StageEntry& stageEntry(const std::string& name) {
  const auto* found =
      std::find_if(kStages.begin(), kStages.end(), [&](const StageEntry& each) { return isStage(name, each.name); });
  if (found == kStages.end()) {
    throw std::out_of_range("no stage is called `" + name + "`");
  }
  return *found;
}

} // namespace touchstone::ir
