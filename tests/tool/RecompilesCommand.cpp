#include "tests/tool/Commands.h"

#include "base/ExitStatus.h"
#include "generators/catalogue/Operators.h"
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
#include <variant>
#include <vector>

namespace touchstone::tool {

namespace {

constexpr const char *kSequences = "sequences", *kCases = "cases", *kOperators = "operators";

/// `touchstone recompiles`: runs Cases under some backends and prints for each what docs/json.md says, a JSON object in a line
/// of its own.
struct RecompilesOptions {
  std::string of = kSequences, dynamic = "false";
  uint64_t seed = 0, start = 0, cases = 100;
  std::vector<std::string> backends{"aot_eager", "torch:aot_eager"};
  int workers = 1;
  bool wantCases = false;
};

constexpr uint64_t kCasesPerBatch = 16;

/// A small Case of each operator, in some dtypes, without and with a backward; those that eager has.
std::vector<worker::Probe> probes() {
  std::vector<worker::Probe> all;
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    for (const char* dtype : {"float32", "int64", "bool", "complex64"}) {
      all.push_back({std::string(info.name), dtype, false});
    }
    all.push_back({std::string(info.name), "float32", true});
  }
  return all;
}

std::vector<worker::CaseSource> sourcesOf(const RecompilesOptions& options) {
  std::vector<worker::CaseSource> sources;
  if (options.of == kOperators) {
    for (const worker::Probe& probe : probes()) {
      sources.emplace_back(worker::ProbedCase{{probe}});
    }
    return sources;
  }
  for (uint64_t i = 0; i < options.cases; ++i) {
    sources.emplace_back(
        worker::GeneratedCase{.seed = options.seed, .index = options.start + i, .sequences = options.of == kSequences});
  }
  return sources;
}

/// COMPILE's `dynamic`; without symbols Cases compile as they say.
worker::Profile profileOf(const RecompilesOptions& options) {
  pool::ProfileFlags profile;
  if (options.dynamic != "false") {
    (*profile.flags)["compile"]["dynamic"] = options.dynamic == "true" ? nlohmann::json(true) : nlohmann::json();
  }
  return profile.read();
}

std::vector<pool::PoolBatch> batchesOf(const RecompilesOptions& options,
                                       const std::vector<worker::CaseSource>& sources) {
  std::vector<pool::PoolBatch> batches;
  for (const auto& [family, names] : pool::byFamily(options.backends)) {
    for (uint64_t i = 0; i < sources.size(); ++i) {
      if (i % kCasesPerBatch == 0) {
        batches.push_back({family, {}});
        batches.back().batch.limits = pool::limitsFor(names);
      }
      worker::Job job;
      job.id = options.start + i;
      job.source = sources[i];
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
  pool.profile = profileOf(options);
  const std::vector<worker::CaseSource> sources = sourcesOf(options);
  pool::WorkerPool workers(pool);
  std::map<uint64_t, nlohmann::json> rows;
  for (const worker::JobResult& result : workers.run(batchesOf(options, sources))) {
    if (result.making.notApplicable) {
      continue;
    }
    nlohmann::json& row = rows[result.id];
    row["index"] = result.id;
    if (const auto* probed = std::get_if<worker::ProbedCase>(&sources[result.id - options.start])) {
      row["operators"] = {probed->probes[0].operatorName};
      row["dtype"] = probed->probes[0].dtype;
      row["backward"] = probed->probes[0].backward;
    } else if (options.of == kCases) {
      row["operators"] = result.making.acceptedOperators;
    }
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
                                       {"symbols", each.counters.symbols},
                                       {"recompiles", each.recompileReasons},
                                       {"recompiles_by_call", each.recompilesByCall},
                                       {"guards", each.guards},
                                       {"specializations", each.specializations},
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
                  {"--cases", &asked->cases, "How many", options::shown()},
                  {"--of", &asked->of, "Call sequences, Cases of a campaign, or a small Case of each operator",
                   options::oneOf({kSequences, kCases, kOperators}).shown()},
                  {"--dynamic", &asked->dynamic, "COMPILE's `dynamic`; auto: None",
                   options::oneOf({"false", "true", "auto"}).shown()},
                  options::jobs(asked->workers),
                  options::backends(asked->backends, "Separated by commas"),
                  {"--with-cases", &asked->wantCases, "Print the Cases, too"}},
      .footer =
          "Sequences are those of `touchstone fuzz --sequences`, Cases those of `touchstone fuzz`; docs/json.md describes a line.\n"
          "tests/python/compare_recompiles.py and compare_symbols.py sort the differences between two backends into classes,\n"
          "count_specializations.py counts sizes that are no symbols.",
      .run =
          [asked](const options::Given&) {
            asked->backends = pool::withoutRepeats(asked->backends);
            return listRecompiles(*asked);
          },
  };
}

} // namespace touchstone::tool
