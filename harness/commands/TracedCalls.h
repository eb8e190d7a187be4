#pragma once

#include "harness/pool/CaseFiles.h"
#include "harness/pool/WorkerPool.h"
#include "harness/worker/CallsAgain.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace touchstone::commands {

/// What the compiled Graphs of a Case call under a backend; see worker::TraceCallsTask.
struct TracedCalls {
  worker::TraceCallsResult result;
  std::string failure; // why there is none; empty: there is
};

/// Throws WrongUse for backends whose Graphs run in PyTorch, which says what to do.
void checkTraceable(const std::vector<std::string>& backends);

/// Makes the calls of the Case once more in a worker.
TracedCalls traceCalls(const pool::CaseFile& file, const std::string& backend, pool::WorkerPool& pool);

/// Lines, each with `indent` blanks before it.
std::string tracedText(const TracedCalls& traced, size_t indent);
nlohmann::json tracedJson(const TracedCalls& traced);

} // namespace touchstone::commands
