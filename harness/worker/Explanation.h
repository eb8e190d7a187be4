#pragma once

#include "graph/ir/CompileReport.h"
#include "graph/ir/ExplainOutput.h"
#include "harness/worker/Job.h"

#include <string>
#include <vector>

namespace touchstone::worker {

/// A place that had to be captured again because a guard did not hold.
struct Recompile {
  int call = 0;
  std::string reason;
};

/// What a backend that shows no Graphs says of its compiling: operations are counted, not listed, and breaks have no stacks.
ir::ExplainOutput explanationOf(const ir::CompileReport& report);

/// Makes all calls of the job's Case under its backend with one compiled program. What a call raises is
/// left to whoever judges. To be called in a child.
std::vector<Recompile> recompilesOf(const Job& job);

/// An object as one line: `graph_count`, `graph_break_count`, `op_count`, `break_reasons` (each `reason` and `user_stack`:
/// `line`, `function`, `text`), `ops_per_graph`, `guards`, `compile_times`, `recompiles` (each `call` and `reason`), and
/// `text`, all of it as people read it. `source`: the lines of the case file.
std::string explanationJson(const ir::ExplainOutput& output, const std::vector<Recompile>& recompiles,
                            const std::vector<std::string>& source);

} // namespace touchstone::worker
