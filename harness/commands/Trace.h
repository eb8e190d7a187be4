#pragma once

#include "harness/pool/CaseFiles.h"
#include "harness/pool/WorkerPool.h"
#include "harness/worker/TraceTask.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace touchstone::commands {

/// What is shown of a Case that is run once more, under a native backend.
struct TraceOptions {
  bool calls = false; // --trace-calls: what the compiled Graphs call
  bool backwards = false, verbose = false; // --log compiled_autograd[,verbose]
  bool any() const { return calls || backwards; }
};

/// What the run has shown; see worker::TraceTask.
struct Trace {
  TraceOptions asked;
  worker::TraceResult result;
  std::string failure; // why there is none; empty: there is
};

/// Sets what `--log` asks for. Throws WrongUse for what is no name of a log, with those that there are.
void readLogNames(const std::vector<std::string>& names, TraceOptions& options);

/// Throws WrongUse for backends whose Graphs run in PyTorch, which says what to do.
void checkTraceable(const TraceOptions& options, const std::vector<std::string>& backends);

/// Makes the calls of the Case once more in a worker.
Trace traceCase(const TraceOptions& options, const pool::CaseFile& file, const std::string& backend,
                pool::WorkerPool& pool);

/// Lines, each with `indent` blanks before it.
std::string traceText(const Trace& trace, size_t indent);
nlohmann::json traceJson(const Trace& trace);

} // namespace touchstone::commands
