#pragma once

#include "base/ExitStatus.h"

#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone findings`: what a store holds, as a table, or one finding as a whole. Changes nothing.
struct FindingsOptions {
  std::vector<std::string> what; // a folder or a store; the id of a finding, or its beginning; either may be left out
  std::vector<std::string> statuses; // only these; empty: all
  bool campaigns = false; // list these instead
  bool json = false;
};
base::ExitStatus showFindings(const FindingsOptions& options);

/// `touchstone merge`: other stores, or folders of case files, into one.
struct MergeOptions {
  std::string into; // a folder or a store, which may be new
  std::vector<std::string> from;
  bool json = false;
};
base::ExitStatus mergeStores(const MergeOptions& options);

} // namespace touchstone::commands
