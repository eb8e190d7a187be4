#pragma once

#include "base/ExitStatus.h"
#include "harness/triage/MaskProposal.h"
#include "harness/worker/Profile.h"

#include <string>

namespace touchstone::commands {

/// `touchstone mask`: proposes a mask from a reduced finding, or checks those of a known file.
struct MaskOptions {
  std::string path; // the Case; empty with `check`
  std::string backend; // empty: the one that the file names
  std::string check; // a known file; empty: none
  bool showsOperations = false; // only print what masks see of the Case
  std::string known; // the file that the entry is put into, with `adds`
  bool adds = false;
  std::string id, reason, link, expires; // of the entry
  std::string today; // empty: the clock
  size_t neighbours = triage::kNeighbours; // at most
  int workers = 1;
  worker::Profile profile = {};
  bool json = false;
};
base::ExitStatus maskCommand(const MaskOptions& options);

} // namespace touchstone::commands
