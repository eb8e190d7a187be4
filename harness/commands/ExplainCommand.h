#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <string>

namespace touchstone::commands {

/// `touchstone explain`: graphs, breaks with their reasons, operations, guards, recompiles and compile times of a Case.
struct ExplainOptions {
  std::string path;
  std::string backend = "aot_eager";
  int call = 0; // position in CALLS
  pool::LimitOptions limits;
  bool json = false;
};
base::ExitStatus explainCase(const ExplainOptions& options);

} // namespace touchstone::commands
