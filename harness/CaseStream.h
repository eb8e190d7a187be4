#pragma once

#include "harness/FuzzCommand.h"
#include "harness/WorkerPool.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// A Case of a campaign with the results of all its backends.
struct FinishedCase {
  uint64_t index = 0;
  JobResult result;
};

/// Cuts the Cases of a campaign into batches for each family of backends and puts the results together again in the
/// order of the Cases. How it cuts depends on nothing but the options, so that each Case has the same neighbours in its
/// child however many workers there are.
class CaseStream {
 public:
  CaseStream(const FuzzOptions& options, uint64_t seed);

  /// The next batch for a worker of that family; none when it is too far ahead of the others, or at the end.
  std::optional<Batch> next(graph::Family family);
  void add(JobResult result);
  /// The next Case in order, once all of its results are there.
  std::optional<FinishedCase> take();
  /// No further batches.
  void stop() { stopped_ = true; }

 private:
  struct Lane {
    std::vector<std::string> backends;
    JobLimits limits;
    uint64_t casesPerBatch = 1;
    uint64_t next = 0; // position of the next Case
  };
  struct Waiting {
    JobResult result;
    size_t missing = 0; // lanes that have not reported
  };
  uint64_t indexOf(uint64_t position) const { return start_ + position * stride_; }

  const uint64_t seed_;
  const bool sequences_;
  uint64_t start_, stride_;
  uint64_t end_; // position behind the last Case
  uint64_t furthest_; // how far a lane may be ahead of what was taken
  std::map<graph::Family, Lane> lanes_;
  std::map<uint64_t, Waiting> waiting_; // by position
  uint64_t taken_ = 0;
  bool stopped_ = false;
};

} // namespace touchstone::harness
