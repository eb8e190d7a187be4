#include "harness/commands/RecompilesCommand.h"

#include "harness/pool/WorkerPool.h"
#include "harness/report/Report.h"
#include "program/language/Outcome.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace touchstone::commands {

namespace {

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

} // namespace

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

} // namespace touchstone::commands
