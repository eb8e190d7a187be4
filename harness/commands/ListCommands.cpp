#include "harness/commands/ListCommands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/GeneratedJobs.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Report.h"
#include "program/language/CasePrinter.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <poll.h>

#include <cstdio>
#include <filesystem>
#include <map>

namespace touchstone::commands {

namespace {

/// Why the backends of a family cannot be used here, with these prepared; empty: they can.
std::string troubleOf(ir::Family family, const std::vector<std::string>& prepare = {},
                      const worker::Profile& profile = {}) {
  try {
    pool::WorkerProcess worker(pool::workerArguments(family, prepare, profile), profile.environment);
    while (!worker.isReady()) {
      pollfd waited{worker.descriptor(), POLLIN, 0};
      poll(&waited, 1, 200);
      if (base::interruptRequested()) {
        throw base::Interrupted();
      }
      if (waited.revents != 0) {
        worker.receive();
      }
    }
    return "";
  } catch (const pool::WorkerUnavailable& error) {
    return error.what();
  }
}

const char* familyName(ir::Family family) {
  return family == ir::Family::kNative ? "native" : "torch";
}

} // namespace

base::ExitStatus listBackends(bool json, const worker::Profile& profile) {
  std::map<ir::Family, std::string> troubles;
  std::vector<ir::BackendInfo> shown = backends::builtInBackends();
  std::string profiled = "not tried"; // why the profile's backend is not available
  for (const std::string& name : profile.loaded) {
    shown.push_back(backends::backendInfo(name));
    troubles[ir::Family::kNative] = troubleOf(ir::Family::kNative, {}, profile);
  }
  if (!profile.backend.empty()) {
    const ir::BackendInfo info = backends::backendInfo(profile.backend);
    std::erase_if(shown, [&](const ir::BackendInfo& each) { return each.name == info.name; });
    shown.push_back(info);
    profiled = troubleOf(info.family, {info.name}, profile);
  }
  for (const ir::BackendInfo& info : backends::builtInBackends()) {
    if (troubles.find(info.family) == troubles.end()) {
      troubles[info.family] = troubleOf(info.family);
    }
  }
  nlohmann::json list = nlohmann::json::array();
  for (const ir::BackendInfo& info : shown) {
    const std::string& trouble = info.name == profile.backend ? profiled : troubles[info.family];
    if (json) {
      list.push_back({{"name", info.name},
                      {"family", familyName(info.family)},
                      {"available", trouble.empty()},
                      {"reason", trouble},
                      {"summary", info.summary},
                      {"ladder", backends::blamedBefore(info)}});
    } else {
      fmt::print("{:32} {}{}\n", info.name, info.summary, trouble.empty() ? "" : "  NOT AVAILABLE: " + trouble);
    }
  }
  if (json) {
    fmt::print("{}\n", report::dumpJson(list, 1));
  } else {
    fmt::print("torch:package.module:attribute   any backend that torch.compile can take, from a Python package\n");
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus printCases(const std::vector<std::string>& paths, bool rewrite, language::CaseForm form) {
  std::vector<std::string> errors;
  for (const pool::CaseFile& file : pool::readCaseFiles(pool::findCaseFiles(paths), rewrite, errors, form)) {
    if (!rewrite) {
      fmt::print("{}", standalone::printCase(file.content, form));
    }
  }
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}\n", error);
  }
  return errors.empty() ? base::ExitStatus::kNothingNew : base::ExitStatus::kWrongUse;
}

base::ExitStatus generateCases(const GenerateOptions& options) {
  if (options.output != "-") {
    base::tryToWriteInto(options.output);
  }
  base::ExitStatus status = base::ExitStatus::kNothingNew;
  for (const worker::JobResult& result : pool::generateJobs({.seed = options.seed,
                                         .start = options.start,
                                         .cases = options.cases,
                                         .wantCase = true,
                                         .sameCalls = options.calls,
                                         .profile = options.profile})) {
    if (!result.error.empty()) {
      fmt::print(stderr, "Case {} cannot be generated: {}\n", result.id, result.error);
      status = base::ExitStatus::kFailed;
    } else if (options.output == "-") {
      fmt::print("{}", result.caseText);
    } else {
      base::writeFile(std::filesystem::path(options.output) / fmt::format("case-{}.py", result.id), result.caseText);
    }
  }
  return status;
}

} // namespace touchstone::commands
