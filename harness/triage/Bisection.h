#pragma once

#include "graph/ir/PassGate.h"
#include "harness/triage/Ladder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::triage {

/// Where a Case stops being eager's: the pipeline, and inside it the pass and its first wrong application.
struct Bisection {
  Ladder ladder;
  std::vector<std::pair<std::string, int64_t>> passes; // of the guilty pipeline: how often each changes a Graph
  std::optional<ir::PassFault> fault; // none: no pass makes the difference alone
  int runs = 0; // of the Case under the guilty pipeline, to find the pass
};

/// Climbs the ladder to its last rung and, where the first that differs as that one does is native, bisects its passes:
/// each run judges the Case anew in a worker, so a crash is a difference like another. A run with another symptom than the
/// last rung's counts as one that does not differ.
Bisection bisect(const std::string& caseText, std::vector<report::Rung> rungs, const pool::RunJob& run);

} // namespace touchstone::triage
