#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone twin`: the native `aot_eager` beside the installed PyTorch's, Graph by Graph.
struct TwinOptions {
  std::vector<std::string> paths; // case files and folders; none: generated Cases
  uint64_t seed = 1, start = 0, cases = 200;
  int workers = 1;
  std::string writeCases; // folder for the Cases that disagree; empty: not written
  bool json = false;
  pool::LimitOptions limits;
};
/// Prints how many Cases agree, and of each class of disagreement how many and the first. Exit status: 1 when some disagree,
/// 4 when nothing could be compared.
base::ExitStatus compareTwinCases(const TwinOptions& options);

} // namespace touchstone::commands
