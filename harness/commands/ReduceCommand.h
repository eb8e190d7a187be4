#pragma once

#include "base/ExitStatus.h"
#include "harness/reducer/ReductionPasses.h"
#include "harness/worker/Profile.h"

#include <string>

namespace touchstone::commands {

/// `touchstone reduce`: the smallest Case with the same symptom, origin and base outcome, or the smallest of which a command
/// says that it is still what is looked for.
struct ReduceOptions {
  std::string path;
  std::string backend;
  std::string check; // a command in place of a backend, see OutsideJudgeOptions
  double checkSeconds = 60; // for each run of it
  reducer::PassChoice passes;
  std::string known; // file of known findings: candidates that a mask of it matches do not count; empty: none
  std::string output; // file; empty: standard output
  int workers = 1;
  double seconds = 120;
  worker::Profile profile = {};
  bool json = false;
  bool listPasses = false;
};
/// The backend that the file names as the one it was found under. Throws WrongUse where it names none.
std::string backendOfFinding(const std::string& path);
/// An interrupt and the end of the time leave the best so far, confirmed, with a `# note:` that reducing was not finished.
base::ExitStatus reduceFile(const ReduceOptions& options);
base::ExitStatus reduceByCheck(const ReduceOptions& options);
/// `--list-passes`: names and descriptions, in order.
base::ExitStatus listPasses(bool json);

} // namespace touchstone::commands
