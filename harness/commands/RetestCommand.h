#pragma once

#include "base/ExitStatus.h"
#include "harness/baseline/Retest.h"
#include "harness/worker/Profile.h"

#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone retest`: what became of known and of stored findings.
struct RetestOptions {
  std::vector<std::string> paths; // files and folders of findings
  std::string known; // file; empty: none
  std::string backend; // to run all under; empty: each under the one that it was found under
  std::string today; // empty: the clock
  int workers = 1;
  std::string junit; // file; empty: none
  bool json = false;
  pool::LimitOptions limits = {};
  worker::Profile profile = {};
  baseline::RetestSink onResult = {}; // told of each result; may be empty
};
base::ExitStatus retestCommand(const RetestOptions& options);

} // namespace touchstone::commands
