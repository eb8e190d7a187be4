#pragma once

#include "base/ExitStatus.h"
#include "harness/worker/Profile.h"
#include "program/language/CasePrinter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone backends`: what there is, and why something is not available here. The profile's backend, too.
base::ExitStatus listBackends(bool json, const worker::Profile& profile = {});

/// `touchstone print`: case files as they are printed, on standard output or written back.
base::ExitStatus printCases(const std::vector<std::string>& paths, bool rewrite, language::CaseForm form);

/// `touchstone generate`: Cases of a campaign as files `case-INDEX.py` in a folder; "-": to standard output.
struct GenerateOptions {
  uint64_t seed = 0, start = 0, cases = 1;
  int calls = 2; // as of `fuzz`
  worker::Profile profile = {};
  std::string output = "-";
};
base::ExitStatus generateCases(const GenerateOptions& options);

} // namespace touchstone::commands
