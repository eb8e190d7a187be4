#pragma once

#include "harness/worker/Task.h"
#include "oracles/stages/StageRung.h"

namespace touchstone::worker {

/// What came of the stages of AOTAutograd in the compiles of one Case.
struct JudgedStages {
  std::vector<stages::StageRung> rungs; // in the order in which they work
  std::string reason; // why there are none
  bool operator==(const JudgedStages& other) const = default;
};
TOUCHSTONE_TRAVELS(JudgedStages);

/// Makes a Case's calls under one backend of the installed PyTorch, keeping the graphs of its compiles and what they were run
/// on, and judges each step of AOTAutograd by them; see stages::judgeStages(). The worker has the backend.
struct StageRungsTask {
  static constexpr const char* kName = "stage_rungs";
  static constexpr bool kNeedsBackend = true;
  using Result = JudgedStages;
  bool operator==(const StageRungsTask&) const = default;
};

void runTask(const StageRungsTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
