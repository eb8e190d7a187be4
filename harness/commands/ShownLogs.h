#pragma once

#include "harness/options/Option.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/WorkerPool.h"
#include "harness/worker/CallsAgain.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace touchstone::commands {

/// What compiled autograd tells of a Case's backwards under a backend; see worker::LogTask.
struct ShownLog {
  worker::LogResult result;
  std::string failure; // why there is none; empty: there is
};

/// `--log NAMES`.
options::Option logOption(std::vector<std::string>& names);

/// Throws WrongUse for backends that run in PyTorch, which says what to do.
void checkLoggable(const std::vector<std::string>& backends);

/// Makes the calls of the Case once more in a worker.
ShownLog logOf(const pool::CaseFile& file, const std::string& backend, const std::vector<std::string>& names,
               pool::WorkerPool& pool);

/// Lines, each with `indent` blanks before it.
std::string logText(const ShownLog& log, size_t indent);
nlohmann::json logJson(const ShownLog& log);

} // namespace touchstone::commands
