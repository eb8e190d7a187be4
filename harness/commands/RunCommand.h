#pragma once

#include "base/ExitStatus.h"
#include "harness/pool/WorkerPool.h"

#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone run`: judges case files against their expectations.
struct RunOptions {
  std::vector<std::string> paths; // files, or folders of `*.py`
  std::vector<std::string> backends; // empty: those that the file's expectations name, and `eager`
  int workers = 1;
  bool json = false;
  pool::LimitOptions limits;
  std::string known; // file of known findings; empty: none
  std::string today; // that decides which of them have expired; empty: the clock
  std::string junit; // file; empty: none
  worker::Profile profile = {};
  std::string profileFlags = {}; // that said so, see ProfileFlags::commandLine()
  bool rewrite = false; // replace a `__main__` part that is not the generated one
};
base::ExitStatus runCases(const RunOptions& options);

} // namespace touchstone::commands
