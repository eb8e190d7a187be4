#pragma once

#include "harness/worker/Profile.h"
#include "oracles/stages/StageRung.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace touchstone::worker {

struct Job;
struct JobResult;

/// What came of the stages of AOTAutograd in the compiles of one Case.
struct JudgedStages {
  std::vector<stages::StageRung> rungs; // in the order in which they work
  std::string reason; // why there are none
  bool operator==(const JudgedStages& other) const = default;
};
void to_json(nlohmann::json& object, const JudgedStages& judged);
void from_json(const nlohmann::json& object, JudgedStages& judged);

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
