#pragma once

#include "harness/worker/Task.h"

#include <string>
#include <vector>

namespace touchstone::worker {

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
