#pragma once

#include "harness/worker/Task.h"

namespace touchstone::worker {

struct ExplainResult {
  /// An object as one line: `graph_count`, `graph_break_count`, `op_count`, `break_reasons` (each `reason` and `user_stack`:
  /// `line`, `function`, `text`), `ops_per_graph`, `guards`, `specializations`, `given_up`, `compile_times`, `recompiles`
  /// (each `call` and `reason`), and `text`, all of it as people read it.
  std::string explanation;
  bool operator==(const ExplainResult& other) const = default;
};
TOUCHSTONE_TRAVELS(ExplainResult);

/// Nothing is judged: how a call of a printed Case is captured under the job's backend, of any family, compiled for it
/// anew; and, with one compiled program, what all of the Case's calls capture anew. The result's entry for the backend says
/// how the call ended, see showCall().
struct ExplainTask {
  static constexpr const char* kName = "explain";
  static constexpr bool kNeedsBackend = true;
  using Result = ExplainResult;

  int call = 0;
  std::string dynamic; // see setDynamic()
  bool operator==(const ExplainTask&) const = default;
};
TOUCHSTONE_TRAVELS(ExplainTask);

void runTask(const ExplainTask& task, const Job& job, const Profile& profile, JobResult& result);

} // namespace touchstone::worker
