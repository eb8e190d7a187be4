#pragma once

#include "harness/CommandLine.h"
#include "harness/WorkerPool.h"

#include <string>

namespace touchstone::harness {

/// `touchstone bisect`: the pipeline, the pass and the application of it that make a Case differ.
struct BisectOptions {
  std::string path;
  std::string backend = "aot_eager"; // the end of the ladder
  LimitOptions limits;
  bool json = false;
};
ExitStatus bisectCase(const BisectOptions& options);

} // namespace touchstone::harness
