#include "harness/commands/BisectCommand.h"

#include "backends/Registry.h"
#include "harness/commands/LadderCommand.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "harness/triage/Bisection.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace touchstone::commands {

namespace {

using nlohmann::json;

std::string passesText(const triage::Bisection& bisection, const std::string& path) {
  const std::string& guilty = bisection.ladder.rungs[*bisection.ladder.first].backend;
  if (backends::backendInfo(guilty).family == ir::Family::kTorch) {
    return fmt::format(
        "`{}` is PyTorch's own; its passes are bisected, once the file is whole (`touchstone print --rewrite`), by\n"
        "  python -m torch._inductor.compiler_bisector run python {}\n",
        guilty, path);
  }
  std::string text;
  for (const auto& [pass, count] : bisection.passes) {
    text += fmt::format("Pass {} changes a Graph at {} {}.\n", pass, count, count == 1 ? "place" : "places");
  }
  if (bisection.fault) {
    return text + fmt::format("Application {} of pass {} makes the difference: {} (found in {} runs).\n",
                              bisection.fault->number, bisection.fault->pass, bisection.fault->where, bisection.runs);
  }
  return text + (bisection.passes.empty()
                     ? "It has no pass that can be switched off here: the difference is the stage's.\n"
                     : "The difference is there without any one of its passes: it is the stage's.\n");
}

json bisectionJson(const triage::Bisection& bisection, const BisectOptions& options) {
  json passes = json::array();
  for (const auto& [pass, count] : bisection.passes) {
    passes.push_back({{"pass", pass}, {"applications", count}});
  }
  json object = ladderJson(bisection.ladder);
  object.update({{"schema", 1},
                 {"torch", report::torchVersion()},
                 {"file", options.path},
                 {"passes", std::move(passes)},
                 {"runs", bisection.runs},
                 {"pass", nullptr},
                 {"application", nullptr},
                 {"where", nullptr}});
  if (bisection.fault) {
    object.update(
        {{"pass", bisection.fault->pass}, {"application", bisection.fault->number}, {"where", bisection.fault->where}});
  }
  return object;
}

} // namespace

base::ExitStatus bisectCase(const BisectOptions& options) {
  const pool::GivenCase given = pool::readGivenCase(options.path);
  const std::string found = given.theCase.header("backend").value_or("aot_eager"); // a finding says where it was found
  const ir::BackendInfo info = backends::backendInfo(options.backend.empty() ? found : options.backend);
  const std::vector<report::Rung> rungs = triage::ladderTo(info.name);
  std::vector<std::string> names;
  for (const report::Rung& rung : rungs) {
    names.push_back(rung.backend);
  }
  pool::PoolOptions pooled{1, names, pool::limitsOf(options.profile, options.limits), "", options.profile};
  pooled.prepareFor(given.theCase);
  pool::WorkerPool pool(pooled);
  const triage::Bisection bisection = triage::bisect(given.text, rungs, pool::runnerOf(pool, info.family));
  if (options.json) {
    fmt::print("{}\n", report::dumpJson(bisectionJson(bisection, options), 1));
  } else {
    fmt::print("{}{}", triage::ladderText(bisection.ladder),
               bisection.ladder.first ? passesText(bisection, options.path) : std::string());
  }
  return statusOf(bisection.ladder);
}

} // namespace touchstone::commands
