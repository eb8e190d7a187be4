#pragma once

#include "harness/CommandLine.h"
#include "harness/WorkerPool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// `touchstone fuzz`: the main job.
struct FuzzOptions {
  std::optional<double> seconds; // neither this nor `cases`: until interrupted
  std::optional<uint64_t> cases;
  std::optional<uint64_t> seed; // none: a fresh one, printed
  uint64_t start = 0; // index of the first Case
  uint64_t shard = 1, shards = 1; // this process takes every `shards`-th Case
  bool sequences = false; // Cases are call sequences
  int workers = 1; // processes for each family
  std::vector<std::string> backends{"eager", "torch:aot_eager"};
  std::string findings = "findings"; // folder
  uint64_t maximumFindings = 0; // stop after so many new ones; 0: never
  std::string known; // file of cluster ids and symptoms; empty: none
  std::string events; // file of JSON lines; empty: none
  bool requireValid = false;
  double maximumUnjudged = 0.5; // share
  double reduceSeconds = 60; // for each finding
  LimitOptions limits; // of each Case
  Profile profile = {};
  std::string profileFile = {}; // where findings look for it; set by fuzz()
  bool judgeOnly = false; // count what differs; confirm, reduce and store nothing
  bool json = false;
};
ExitStatus fuzz(const FuzzOptions& options);

} // namespace touchstone::harness
