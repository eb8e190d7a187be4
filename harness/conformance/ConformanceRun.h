#pragma once

#include "harness/conformance/ConformanceReport.h"
#include "harness/pool/WorkerPool.h"
#include "harness/worker/Profile.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace touchstone::conformance {

/// What `touchstone conform` is asked for.
struct ConformOptions {
  std::string backend;
  worker::Profile profile;
  double minutes = 20; // for all of it
  std::optional<uint64_t> cases; // of each level's campaign, at most
  std::set<Level> levels; // that are asked; empty: all
  bool asks(Level level) const;
  std::filesystem::path folder = "conformance"; // of the report
  uint64_t seed = 0;
  int workers = 1;
  double reduceSeconds = 15; // for each finding
  pool::LimitOptions limits;
  std::string command; // what to type for the same, for the report
};

/// Holds the backend against eager, level by level: probes each operator, then runs the campaign of each level under a profile that
/// leaves out what the probes have shown to end the process or to be refused, puts together what has one cause, reduces one Case of each
/// and runs it in plain Python. Writes Cases into the folder: `causes/`, `findings/`. After an interrupt, what is known by
/// then. Throws WorkerUnavailable, StoreError, WrongUse.
ConformanceReport conform(const ConformOptions& options);

} // namespace touchstone::conformance
