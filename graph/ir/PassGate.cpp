#include "graph/ir/PassGate.h"

#include <algorithm>

namespace touchstone::ir {

bool PassGate::mayApply(const std::string& pass, const std::string& where) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto entry = std::find_if(counts_.begin(), counts_.end(), [&](const auto& each) { return each.first == pass; });
  if (entry == counts_.end()) {
    entry = counts_.insert(counts_.end(), {pass, 0});
  }
  ++entry->second;
  if (pass != stopped_) {
    return true;
  }
  if (entry->second > limit_) {
    return false;
  }
  last_ = where;
  return true;
}

std::vector<std::pair<std::string, int64_t>> PassGate::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

std::string PassGate::last() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return last_;
}

std::optional<PassFault> bisectPasses(const RunGated& run) {
  const GatedRun all = run("", 0);
  if (!all.differs) {
    return std::nullopt;
  }
  for (const auto& [pass, count] : all.counts) {
    if (run(pass, 0).differs) {
      continue;
    }
    int64_t agrees = 0, differs = count;
    std::string where = run(pass, count).last;
    while (differs - agrees > 1) {
      const int64_t middle = agrees + (differs - agrees) / 2;
      const GatedRun tried = run(pass, middle);
      if (tried.differs) {
        differs = middle;
        where = tried.last;
      } else {
        agrees = middle;
      }
    }
    return PassFault{pass, differs, std::move(where)};
  }
  return std::nullopt;
}

} // namespace touchstone::ir
