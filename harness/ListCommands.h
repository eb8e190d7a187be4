#pragma once

#include "graph/program/CasePrinter.h"
#include "harness/CommandLine.h"
#include "harness/worker/Profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::harness {

/// `touchstone backends`: what there is, and why something is not available here. The profile's backend, too.
ExitStatus listBackends(bool json, const Profile& profile = {});

/// `touchstone print`: case files as they are printed, on standard output or written back.
ExitStatus printCases(const std::vector<std::string>& paths, bool rewrite, graph::CaseForm form);

/// `touchstone generate`: Cases of a campaign as files `case-INDEX.py` in a folder; "-": to standard output.
struct GenerateOptions {
  uint64_t seed = 0, start = 0, cases = 1;
  int calls = 2; // as of `fuzz`
  Profile profile = {};
  std::string output = "-";
};
ExitStatus generateCases(const GenerateOptions& options);

} // namespace touchstone::harness
