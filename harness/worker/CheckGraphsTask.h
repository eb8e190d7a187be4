#pragma once

#include "harness/worker/Task.h"

namespace touchstone::worker {

/// What came of checking how a Case's Graphs are printed, or written and read.
struct GraphCheck {
  int64_t graphs = 0, folders = 0, kept = 0; // kept: Graphs whose run was kept and made again
  std::string skipped; // why there were none
  std::vector<std::string> refused; // parts that were not written, and why
  std::vector<std::string> failures;
  std::vector<std::string> python; // texts of the Graphs, with CheckGraphsTask::wantPython
  bool operator==(const GraphCheck& other) const = default;
};
TOUCHSTONE_TRAVELS(GraphCheck);

// CheckGraphsTask::check.
/// The first call is compiled by the job's backend, the Graphs written with what they were given, read, and run again: each has to be
/// the same text and give the same.
inline constexpr const char* kCheckFiles = "files";
/// Each Graph of each stage, above and below autograd, is printed, printed for PyTorch, and drawn.
inline constexpr const char* kCheckTexts = "texts";

/// Nothing is judged but the Case's Graphs.
struct CheckGraphsTask {
  static constexpr const char* kName = "check_graphs";
  static constexpr bool kNeedsBackend = true;
  using Result = GraphCheck;

  std::string check;
  bool wantPython = false;
  bool operator==(const CheckGraphsTask&) const = default;
};
TOUCHSTONE_TRAVELS(CheckGraphsTask);

void runTask(const CheckGraphsTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
