#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "backends/faults/FaultTable.h"
#include "base/Interrupt.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <poll.h>

#include <map>
#include <memory>
#include <span>

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

/// What there is, and why something is not available here. The profile's backend, too.
base::ExitStatus listBackends(bool json, bool showsFaults, const worker::Profile& profile) {
  std::map<ir::Family, std::string> troubles;
  std::vector<ir::BackendInfo> shown = backends::builtInBackends();
  std::string profiled = "not tried"; // why the profile's backend is not available
  for (const ir::Family family : {ir::Family::kNative, ir::Family::kTorch}) {
    for (const faults::FaultRow& row : showsFaults ? faults::faultsOf(family) : std::span<const faults::FaultRow>()) {
      shown.push_back(backends::backendInfo(faults::backendName(row)));
    }
  }
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
                      {"family", ir::familyName(info.family)},
                      {"available", trouble.empty()},
                      {"reason", trouble},
                      {"summary", info.summary},
                      {"ladder", backends::blamedBefore(info)}});
    } else {
      fmt::print("{:32} {}{}\n", info.name, info.summary, trouble.empty() ? "" : "  NOT AVAILABLE: " + trouble);
    }
  }
  if (json) {
    report::printJson(list);
  } else {
    fmt::print("torch:package.module:attribute   any backend that torch.compile can take, from a Python package\n");
    fmt::print(
        "fault:NAME, torch:fault:NAME   {} and {} pipelines with a planted fault, see docs/faults.md; --faults lists them\n",
        faults::nativeFaults().size(), faults::torchFaults().size());
  }
  return base::ExitStatus::kNothingNew;
}

} // namespace

options::Command backendsCommand() {
  const auto json = std::make_shared<bool>(false);
  const auto showsFaults = std::make_shared<bool>(false);
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options = {options::jsonFlag(*json, "Print a JSON list on standard output; see docs/json.md"),
                  {"--faults", showsFaults.get(), "List the pipelines with a planted fault, too; see docs/faults.md"},
                  pool::profileOptions(*profile, pool::ProfileScope::kJudging)},
      .footer =
          "What `pre_dispatch_eager` makes of a Graph is shown by\n"
          "  touchstone dump case.py --backend pre_dispatch_eager --stage pre_dispatch",
      .run = [=](const options::Given&) { return listBackends(*json, *showsFaults, profile->read()); },
  };
}

} // namespace touchstone::commands
