#pragma once

#include "base/ExitStatus.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone check-graphs`, for tests: the Graphs of random Cases, written and read, or printed and drawn; see harness/worker/CheckGraphsTask.h.
/// Exit status 5 when one fails, 4 when fewer than half of the Cases had Graphs.
struct CheckGraphsOptions {
  std::string check = "files";
  uint64_t seed = 1, start = 0, cases = 1000;
  int workers = 1;
  std::vector<std::string> backends; // empty: `aot_eager`, of texts also `eager`
  std::string output; // folder for Python texts; empty: none
};
base::ExitStatus checkGraphsOfCases(const CheckGraphsOptions& options);

} // namespace touchstone::commands
