#include "tests/tool/Commands.h"

#include "base/ExitStatus.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Report.h"
#include "program/language/Outcome.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::tool {

namespace {

/// `touchstone recompiles`: runs call sequences under some backends and prints for each a JSON object in a line of its own:
/// `index`, `error`, and by backend `outcome`, `frames`, `graphs`, the reasons of `recompiles` and of `breaks`; with
/// `wantCases` also the `case`.
struct RecompilesOptions {
  uint64_t seed = 0, start = 0, cases = 100;
  std::vector<std::string> backends{"aot_eager", "torch:aot_eager"};
  int workers = 1;
  bool wantCases = false;
};

constexpr uint64_t kSequencesPerBatch = 16;

std::vector<pool::PoolBatch> sequenceBatches(const RecompilesOptions& options) {
  std::vector<pool::PoolBatch> batches;
  for (const auto& [family, names] : pool::byFamily(options.backends)) {
    for (uint64_t i = 0; i < options.cases; ++i) {
      if (i % kSequencesPerBatch == 0) {
        batches.push_back({family, {}});
        batches.back().batch.limits = pool::limitsFor(names);
      }
      worker::Job job;
      job.id = options.start + i;
      job.source = worker::GeneratedCase{.seed = options.seed, .index = options.start + i, .sequences = true};
      job.task = worker::JudgeTask{.blame = false, .wantReasons = true};
      job.wantCase = options.wantCases;
      job.backends = names;
      batches.back().batch.jobs.push_back(std::move(job));
    }
  }
  return batches;
}

base::ExitStatus listRecompiles(const RecompilesOptions& options) {
  pool::PoolOptions pool;
  pool.backends = options.backends;
  pool.workersPerFamily = options.workers;
  pool::WorkerPool workers(pool);
  std::map<uint64_t, nlohmann::json> rows;
  for (const worker::JobResult& result : workers.run(sequenceBatches(options))) {
    nlohmann::json& row = rows[result.id];
    row["index"] = result.id;
    if (!result.error.empty()) {
      row["error"] = result.error;
    }
    if (!result.caseText.empty() && options.wantCases) {
      row["case"] = result.caseText;
    }
    for (const worker::BackendResult& each : result.backends) {
      row["backends"][each.backend] = {{"outcome", language::outcomeName(each.outcome)},
                                       {"frames", each.counters.frames},
                                       {"graphs", each.counters.graphs},
                                       {"recompiles", each.recompileReasons},
                                       {"breaks", each.breakReasons}};
    }
  }
  for (const auto& [index, row] : rows) {
    fmt::print("{}\n", report::dumpJson(row));
  }
  return base::ExitStatus::kNothingNew;
}

} // namespace

options::Command recompilesCommand() {
  const auto asked = std::make_shared<RecompilesOptions>();
  return {
      .options = {options::seed(&asked->seed, "Seed of the campaign"),
                  options::start(asked->start),
                  {"--cases", &asked->cases, "How many sequences", options::shown()},
                  options::jobs(asked->workers),
                  options::backends(asked->backends, "Separated by commas"),
                  {"--with-cases", &asked->wantCases, "Print the Cases, too"}},
      .footer =
          "The Cases are those of `touchstone fuzz --sequences`; docs/json.md describes a line. tests/python/compare_recompiles.py sorts the differences\n"
          "between two backends into the classes of docs/guards.md.",
      .run =
          [asked](const options::Given&) {
            asked->backends = pool::withoutRepeats(asked->backends);
            return listRecompiles(*asked);
          },
  };
}

} // namespace touchstone::tool
