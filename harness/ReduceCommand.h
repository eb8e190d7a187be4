#pragma once

#include "harness/CommandLine.h"
#include "harness/worker/Profile.h"

#include <string>

namespace touchstone::harness {

/// `touchstone reduce`: the smallest Case with the same symptom, origin and base outcome.
struct ReduceOptions {
  std::string path;
  std::string backend;
  std::string output; // file; empty: standard output
  int workers = 1;
  double seconds = 120;
  Profile profile = {};
  bool json = false;
};
/// The backend that the file names as the one it was found under. Throws WrongUse where it names none.
std::string backendOfFinding(const std::string& path);
ExitStatus reduceFile(const ReduceOptions& options);

} // namespace touchstone::harness
