#pragma once

#include "harness/worker/Task.h"

#include <string>
#include <vector>

namespace touchstone::worker {

/// One run of a compiled Graph; see debugging::GraphRun.
struct TracedRun {
  int call = 0; // of the Case
  std::string step; // of the call: `forward`, `backward`, …, see observe::RunOptions::onStep
  /// Number of the captured Graph that it was made of, in the order of capture; -1: of a backward that was captured when it
  /// ran, or that is not cut out of the joint Graph.
  int graph = 0;
  std::string stage;
  int64_t operators = 0; // of the Graph
  std::vector<std::string> calls;
  bool operator==(const TracedRun&) const = default;
};

/// What compiled autograd said in a step of a call; see ir::BackwardLogEntry.
struct LoggedBackward {
  int call = 0;
  std::string step;
  bool isVerbose = false;
  std::string text; // lines
  bool operator==(const LoggedBackward&) const = default;
};

struct TraceResult {
  std::vector<TracedRun> runs;
  std::vector<LoggedBackward> backwards;
  std::vector<std::string> raised; // by call of the Case; empty: nothing
  bool operator==(const TraceResult& other) const = default;
};
TOUCHSTONE_TRAVELS(TraceResult);

/// Nothing is judged: makes all calls of a printed Case under the job's backend, a native one, with one compiled program,
/// and writes down what its Graphs call, and what compiled autograd says.
struct TraceTask {
  static constexpr const char* kName = "trace";
  static constexpr bool kNeedsBackend = true;
  using Result = TraceResult;

  bool tracesCalls = true, logsBackwards = false;
  bool operator==(const TraceTask&) const = default;
};
TOUCHSTONE_TRAVELS(TraceTask);

void runTask(const TraceTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
