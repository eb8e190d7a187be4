#pragma once

#include "backends/debugging/CompilerOptions.h"

#include <string>
#include <vector>

namespace touchstone::worker {

/// Keeps what compilers warn of while it lives, each text once; a child's standard error is nobody's to read.
class WarningKeeper {
 public:
  WarningKeeper();
  /// What was warned of so far. No compiler may be at work.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> warnings_;
  debugging::CompilerWarningScope scope_; // calls one after the other
};

} // namespace touchstone::worker
