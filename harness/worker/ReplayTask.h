#pragma once

#include "harness/worker/Task.h"
#include "oracles/stages/ReplayRung.h"

namespace touchstone::worker {

/// What came of the stages of AOTAutograd in the compiles of one Case.
struct ReplayResult {
  std::vector<stages::ReplayRung> rungs; // in the order in which they work
  std::string reason; // why there are none
  bool operator==(const ReplayResult& other) const = default;
};
TOUCHSTONE_TRAVELS(ReplayResult);

/// Makes a Case's calls under one backend of the installed PyTorch, keeping the graphs of its compiles and what they were run
/// on, and judges each step of AOTAutograd by them; see stages::judgeReplays(). The worker has the backend.
struct ReplayTask {
  static constexpr const char* kName = "replay";
  static constexpr bool kNeedsBackend = true;
  using Result = ReplayResult;
  bool operator==(const ReplayTask&) const = default;
};

void runTask(const ReplayTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
