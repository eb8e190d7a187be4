#pragma once

#include "harness/worker/Task.h"

#include <cstdint>
#include <string>
#include <vector>

// Tasks that make the calls of a Case once more, for what they show.
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

struct TraceCallsResult {
  std::vector<TracedRun> runs;
  std::vector<std::string> raised; // by call of the Case; empty: nothing
  bool operator==(const TraceCallsResult& other) const = default;
};
TOUCHSTONE_TRAVELS(TraceCallsResult);

/// Nothing is judged: makes all calls of a printed Case under the job's backend, a native one, with one compiled program,
/// and writes down what its Graphs call.
struct TraceCallsTask {
  static constexpr const char* kName = "trace_calls";
  static constexpr bool kNeedsBackend = true;
  using Result = TraceCallsResult;

  bool operator==(const TraceCallsTask&) const = default;
};

void runTask(const TraceCallsTask& task, const Job& job, const Profile& profile, JobResult& result);

// What `--log` takes.
constexpr const char* kCompiledAutogradLog = "compiled_autograd"; // each Graph that it captures, with devices
constexpr const char* kVerboseLog = "verbose"; // the same, and why the cache missed, node by node
inline std::vector<std::string> logNames() {
  return {kCompiledAutogradLog, kVerboseLog};
}

struct LoggedText {
  int call = 0; // of the Case
  std::string step; // of the call, see observe::RunOptions::onStep
  std::string text; // lines
  bool operator==(const LoggedText&) const = default;
};

struct LogResult {
  std::vector<LoggedText> texts;
  std::vector<std::string> raised; // by call of the Case; empty: nothing
  bool operator==(const LogResult& other) const = default;
};
TOUCHSTONE_TRAVELS(LogResult);

/// Nothing is judged: makes all calls of a printed Case under the job's backend, a native one, with one compiled program,
/// and writes down what compiled autograd tells of what it captures.
struct LogTask {
  static constexpr const char* kName = "log";
  static constexpr bool kNeedsBackend = true;
  using Result = LogResult;

  bool isVerbose = false; // see kVerboseLog
  bool operator==(const LogTask&) const = default;
};
TOUCHSTONE_TRAVELS(LogTask);

void runTask(const LogTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
