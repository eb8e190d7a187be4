#include "harness/BisectCommand.h"

#include "backends/Registry.h"
#include "harness/Bisection.h"
#include "harness/CaseFiles.h"
#include "harness/LadderCommand.h"
#include "harness/ProfileFlags.h"
#include "harness/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace touchstone::harness {

namespace {

using nlohmann::json;

std::string passesText(const Bisection& bisection, const std::string& path) {
  const std::string& guilty = bisection.ladder.rungs[*bisection.ladder.first].backend;
  if (backends::backendInfo(guilty).family == graph::Family::kTorch) {
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

json bisectionJson(const Bisection& bisection, const BisectOptions& options) {
  json passes = json::array();
  for (const auto& [pass, count] : bisection.passes) {
    passes.push_back({{"pass", pass}, {"applications", count}});
  }
  json object = ladderJson(bisection.ladder);
  object.update({{"schema", 1},
                 {"torch", torchVersion()},
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

ExitStatus bisectCase(const BisectOptions& options) {
  const GivenCase given = readGivenCase(options.path);
  const std::string found = given.theCase.header("backend").value_or("aot_eager"); // a finding says where it was found
  const graph::BackendInfo info = backends::backendInfo(options.backend.empty() ? found : options.backend);
  const std::vector<Rung> rungs = ladderTo(info.name);
  std::vector<std::string> names;
  for (const Rung& rung : rungs) {
    names.push_back(rung.backend);
  }
  PoolOptions pooled{1, names, limitsOf(options.profile, options.limits), "", options.profile};
  pooled.prepareFor(given.theCase);
  WorkerPool pool(pooled);
  const Bisection bisection = bisect(given.text, rungs, runnerOf(pool, info.family));
  if (options.json) {
    fmt::print("{}\n", dumpJson(bisectionJson(bisection, options), 1));
  } else {
    fmt::print("{}{}", ladderText(bisection.ladder),
               bisection.ladder.first ? passesText(bisection, options.path) : std::string());
  }
  return statusOf(bisection.ladder);
}

} // namespace touchstone::harness
