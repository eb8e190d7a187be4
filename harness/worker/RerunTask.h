#pragma once

#include "harness/worker/Task.h"

namespace touchstone::worker {

/// What came of running a Graph of a folder again.
struct GraphRerun {
  std::string part; // `forward`
  int64_t operators = 0;
  bool isKept = false; // on the inputs of the run that was kept, and held against it; else on inputs that were made
  std::string raised; // what the run raised
  std::string difference; // to the run that was kept; empty: none
  std::vector<std::string> outputs; // `float32 [3, 4]`
  bool operator==(const GraphRerun& other) const = default;
};

struct RerunResult {
  std::vector<GraphRerun> graphs;
  bool operator==(const RerunResult& other) const = default;
};
TOUCHSTONE_TRAVELS(RerunResult);

/// No Case is asked for: reads each Graph of a folder and runs it, on the inputs of the run that was kept, or on inputs that
/// are made. JobResult::error: the folder, or a file in it, cannot be read. The job's backend is what the worker is started
/// for.
struct RerunTask {
  static constexpr const char* kName = "rerun";
  static constexpr bool kNeedsBackend = true;
  using Result = RerunResult;

  std::string folder;
  bool operator==(const RerunTask&) const = default;
};
TOUCHSTONE_TRAVELS(RerunTask);

void runTask(const RerunTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
