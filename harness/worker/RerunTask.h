#pragma once

#include "harness/worker/Profile.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::worker {

struct Job;
struct JobResult;

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
void to_json(nlohmann::json& object, const RerunResult& result);
void from_json(const nlohmann::json& object, RerunResult& result);

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
void to_json(nlohmann::json& object, const RerunTask& task);
void from_json(const nlohmann::json& object, RerunTask& task);

void runTask(const RerunTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
