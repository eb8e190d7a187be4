#pragma once

#include "base/ExitStatus.h"
#include "harness/commands/CommandParts.h"
#include "harness/diff/DiffSide.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::commands {

/// `touchstone diff`: which Cases come to another outcome on the right than on the left?
struct DiffOptions {
  diff::DiffSideOptions left, right;
  std::vector<std::string> paths; // case files and folders; empty: Cases are generated
  std::optional<uint64_t> cases;
  std::optional<double> seconds;
  std::optional<uint64_t> seed; // none: a fresh one
  uint64_t start = 0; // index of the first generated Case
  std::optional<int> calls; // see callsOf() of FuzzCommand.h
  int workers = 1; // processes for each side
  std::string findings = "diff-findings"; // folder
  double reduceSeconds = 30; // for each cluster
  double maximumUnjudged = 0.5; // share
  bool allowBetter = false; // changes for the better alone are no failure
  bool observations = false; // list what both sides show otherwise where the outcome is the same
  bool json = false;
  std::string junit; // file; empty: none
  pool::LimitOptions limits;
};
base::ExitStatus diffProfiles(const DiffOptions& options);

void addDiff(CLI::App& application, DiffOptions& options, Command& command);

} // namespace touchstone::commands
