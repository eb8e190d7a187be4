#pragma once

#include "harness/pool/WorkerPool.h"
#include "harness/probing/ProbeResults.h"
#include "harness/report/Tally.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::probing {

/// How the catalogue is tried under one backend.
struct ProbeRunOptions {
  std::string backend;
  worker::Profile profile; // what it excludes is not tried
  bool oneByOne = false; // no probes share a Case
  bool wantCases = false; // of what is not supported
  int workers = 1;
  std::optional<double> seconds; // what has not begun by then is not tried; none: everything is
  pool::LimitOptions limits;
};

/// What is to be tried, operator by operator; counts in `skipped` what entries of the profile take away.
std::vector<worker::Probe> probesOf(const worker::Profile& profile, std::map<std::string, int64_t>& skipped);
/// On the clock, as measured; starting included.
double expectedSeconds(const ProbeRunOptions& options, size_t probes);

/// What is known when the workers are done.
struct ProbeRun {
  std::map<size_t, ProbeResult> results; // by index of the probe
  report::Tally tally; // of probes, whatever Case they were in
  uint64_t cases = 0; // that were tried, groups included
  std::vector<std::string> startTroubles; // see WorkerPool::startTroubles()
  bool isCold = false; // the backend fails on the program that workers start with: each Case paid for its own start
};

/// Deals the probes out to workers and waits; after an interrupt, or when the time is up, what there is. What is counted is added to
/// `tally`. Throws WorkerUnavailable.
ProbeRun runProbes(const std::vector<worker::Probe>& probes, const ProbeRunOptions& options,
                   const report::Tally& tally);

} // namespace touchstone::probing
