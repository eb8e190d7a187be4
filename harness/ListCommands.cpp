#include "harness/ListCommands.h"

#include "backends/Registry.h"
#include "graph/program/CasePrinter.h"
#include "harness/AtomicFile.h"
#include "harness/CaseFiles.h"
#include "harness/GeneratedJobs.h"
#include "harness/Interrupt.h"
#include "harness/Report.h"
#include "harness/WorkerPool.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <poll.h>

#include <cstdio>
#include <filesystem>
#include <map>

namespace touchstone::harness {

namespace {

/// Why the backends of a family cannot be used here, with these prepared; empty: they can.
std::string troubleOf(graph::Family family, const std::vector<std::string>& prepare = {}, const Profile& profile = {}) {
  try {
    WorkerProcess worker(workerArguments(family, prepare, profile), profile.environment);
    while (!worker.isReady()) {
      pollfd waited{worker.descriptor(), POLLIN, 0};
      poll(&waited, 1, 200);
      if (interruptRequested()) {
        throw Interrupted();
      }
      if (waited.revents != 0) {
        worker.receive();
      }
    }
    return "";
  } catch (const WorkerUnavailable& error) {
    return error.what();
  }
}

const char* familyName(graph::Family family) {
  return family == graph::Family::kNative ? "native" : "torch";
}

} // namespace

ExitStatus listBackends(bool json, const Profile& profile) {
  std::map<graph::Family, std::string> troubles;
  std::vector<graph::BackendInfo> shown = backends::builtInBackends();
  std::string profiled = "not tried"; // why the profile's backend is not available
  for (const std::string& name : profile.loaded) {
    shown.push_back(backends::backendInfo(name));
    troubles[graph::Family::kNative] = troubleOf(graph::Family::kNative, {}, profile);
  }
  if (!profile.backend.empty()) {
    const graph::BackendInfo info = backends::backendInfo(profile.backend);
    std::erase_if(shown, [&](const graph::BackendInfo& each) { return each.name == info.name; });
    shown.push_back(info);
    profiled = troubleOf(info.family, {info.name}, profile);
  }
  for (const graph::BackendInfo& info : backends::builtInBackends()) {
    if (troubles.find(info.family) == troubles.end()) {
      troubles[info.family] = troubleOf(info.family);
    }
  }
  nlohmann::json list = nlohmann::json::array();
  for (const graph::BackendInfo& info : shown) {
    const std::string& trouble = info.name == profile.backend ? profiled : troubles[info.family];
    if (json) {
      list.push_back({{"name", info.name},
                      {"family", familyName(info.family)},
                      {"available", trouble.empty()},
                      {"reason", trouble},
                      {"summary", info.summary},
                      {"ladder", info.ladder}});
    } else {
      fmt::print("{:32} {}{}\n", info.name, info.summary, trouble.empty() ? "" : "  NOT AVAILABLE: " + trouble);
    }
  }
  if (json) {
    fmt::print("{}\n", dumpJson(list, 1));
  } else {
    fmt::print("torch:package.module:attribute   any backend that torch.compile can take, from a Python package\n");
  }
  return ExitStatus::kNothingNew;
}

ExitStatus printCases(const std::vector<std::string>& paths, bool rewrite, graph::CaseForm form) {
  std::vector<std::string> errors;
  for (const CaseFile& file : readCaseFiles(findCaseFiles(paths), rewrite, errors, form)) {
    if (!rewrite) {
      fmt::print("{}", graph::printCase(file.content, form));
    }
  }
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}\n", error);
  }
  return errors.empty() ? ExitStatus::kNothingNew : ExitStatus::kWrongUse;
}

ExitStatus generateCases(const GenerateOptions& options) {
  if (options.output != "-") {
    tryToWriteInto(options.output);
  }
  ExitStatus status = ExitStatus::kNothingNew;
  for (const JobResult& result : generateJobs({.seed = options.seed,
                                 .start = options.start,
                                 .cases = options.cases,
                                 .wantCase = true,
                                 .sameCalls = options.calls,
                                 .profile = options.profile})) {
    if (!result.error.empty()) {
      fmt::print(stderr, "Case {} cannot be generated: {}\n", result.id, result.error);
      status = ExitStatus::kFailed;
    } else if (options.output == "-") {
      fmt::print("{}", result.caseText);
    } else {
      writeFile(std::filesystem::path(options.output) / fmt::format("case-{}.py", result.id), result.caseText);
    }
  }
  return status;
}

} // namespace touchstone::harness
