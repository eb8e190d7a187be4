#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <string>

namespace touchstone::commands {

/// `touchstone bisect`: the pipeline, the pass and the application of it that make a Case differ.
struct BisectOptions {
  std::string path;
  std::string backend; // the end of the ladder; empty: that of the finding, else aot_eager
  pool::LimitOptions limits;
  worker::Profile profile = {};
  bool json = false;
};
base::ExitStatus bisectCase(const BisectOptions& options);

} // namespace touchstone::commands
