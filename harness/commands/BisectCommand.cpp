#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "harness/commands/LadderCommand.h"
#include "harness/findings/FindingHeaders.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Report.h"
#include "harness/triage/Bisection.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace touchstone::commands {

namespace {

/// `touchstone bisect`: the pipeline, the pass and the application of it that make a Case differ.
struct BisectOptions {
  std::string path;
  std::string backend; // the end of the ladder; empty: that of the finding, else aot_eager
  pool::LimitOptions limits;
  worker::Profile profile = {};
  bool json = false;
};

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

base::ExitStatus bisectCase(const BisectOptions& options) {
  const pool::GivenCase given = pool::readGivenCase(options.path);
  std::string backend = options.backend.empty() ? findings::headersOf(given.theCase).symptom.backend : options.backend;
  const ir::BackendInfo info = backends::backendInfo(backend.empty() ? "aot_eager" : backend);
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
    report::printJson(bisectionJson(bisection, options));
  } else {
    fmt::print("{}{}", triage::ladderText(bisection.ladder),
               bisection.ladder.first ? passesText(bisection, options.path) : std::string());
  }
  return statusOf(bisection.ladder);
}

} // namespace

options::Command bisectCommand() {
  const auto asked = std::make_shared<BisectOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options = {options::caseFile(asked->path),
                  {"--backend,-b", &asked->backend,
                   "The end of the ladder; by default the profile's, else the backend of a finding, of another Case "
                   "aot_eager"},
                  pool::limitOptions(asked->limits),
                  pool::profileOptions(*profile, pool::ProfileScope::kJudging),
                  options::jsonFlag(asked->json)},
      .footer =
          "Climbs the ladder up to the backend, and switches off the passes of the first native pipeline that differs as\n"
          "the backend does, one after the other. The applications of a pass are numbered; halving finds the first that\n"
          "makes the difference. A finding is judged with the profile beside it, where that names no code and --profile\n"
          "no other.\n"
          "Exit status: 0 when no rung differs; 1 when some rung differs; 2 for wrong use or an unreadable file; 3 when\n"
          "this machine lacks what was asked for; 4 when the backend could not be judged; 5 when Touchstone itself failed.\n"
          "\n"
          "Passes that can be switched off:\n"
          "  decompositions  of aot_eager_decomp_partition: a call is replaced by simpler operators\n"
          "  dead_code       of the AOT pipelines: a node that nothing reads is left out\n"
          "  cse             of aot_eager: a repeated expression is merged with the first\n"
          "  recomputation   of aot_eager: what the default partition saves is computed again in the backward\n"
          "  saved_values    of the AOT pipelines that cut: a value that the backward reads is saved by the forward\n"
          "                  instead of made again\n"
          "  relu_to_add     of relu_accuracy_error_TESTING_ONLY: a relu becomes an addition, the planted fault\n"
          "\nExample:\n"
          "  touchstone bisect case.py --backend aot_eager",
      .run =
          [asked, profile](const options::Given&) {
            std::vector<std::string> names = pool::namesOf(asked->backend);
            const pool::ProfileFlags flags = profile->orStoredBeside({asked->path}, names);
            asked->profile = flags.read(names);
            // One that nobody named does not say which backend it is to be: the finding does.
            const bool isNamed = flags.file == profile->file;
            asked->backend = asked->backend.empty() && isNamed && !names.empty() ? names[0] : asked->backend;
            return bisectCase(*asked);
          },
  };
}

} // namespace touchstone::commands
