#include "harness/commands/Commands.h"

#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone equivalence`: the native `aot_eager` beside the installed PyTorch's, Graph by Graph.
struct EquivalenceOptions {
  std::vector<std::string> paths; // case files and folders; none: generated Cases
  uint64_t seed = 1, start = 0, cases = 200;
  int workers = 1;
  std::string writeCases; // folder for the Cases that disagree; empty: not written
  bool json = false;
  pool::LimitOptions limits;
};

constexpr const char* kBackend = "torch:aot_eager";
constexpr size_t kCasesPerRound = 64; // of each worker

/// Cases of one kind of disagreement.
struct AspectCount {
  int cases = 0;
  std::string first, message; // the first Case, and what is said of it
};

struct EquivalenceCounts {
  int cases = 0, right = 0, compared = 0, agreed = 0, graphs = 0, imported = 0, refused = 0, partitions = 0,
      brokenPartitions = 0;
  std::map<std::string, AspectCount> aspects, leftOut, notCompared, notImported, breaches, unjudged;
};

void count(AspectCount& entry, const std::string& name, const std::string& message) {
  if (entry.cases++ == 0) {
    entry.first = name;
    entry.message = message;
  }
}

void add(EquivalenceCounts& counts, const std::string& name, const worker::JobResult& result) {
  ++counts.cases;
  const auto* found = result.as<worker::EquivalenceResult>();
  if (found == nullptr) {
    const bool isJudged = !result.backends.empty();
    const std::string outcome(isJudged ? language::outcomeName(result.backends.front().outcome) : "not judged");
    count(counts.leftOut[outcome], name, isJudged ? result.backends.front().message : result.error);
    return;
  }
  const worker::EquivalenceResult& equivalence = *found;
  ++counts.right;
  counts.imported += equivalence.imported;
  counts.refused += static_cast<int>(equivalence.refused.size());
  for (const std::string& reason : equivalence.refused) {
    count(counts.notImported[reason], name, reason);
  }
  counts.partitions += equivalence.partitions;
  counts.brokenPartitions += equivalence.brokenPartitions;
  for (const auto& [law, message] : equivalence.breaches) {
    count(counts.breaches[law], name, message);
  }
  for (const std::string& reason : equivalence.unjudged) {
    count(counts.unjudged[reason], name, reason);
  }
  if (!equivalence.isCompared) {
    count(counts.notCompared[equivalence.reason], name, equivalence.reason);
    return;
  }
  ++counts.compared;
  counts.graphs += equivalence.graphs;
  counts.agreed += equivalence.differences.empty();
  std::set<std::string> told;
  for (const auto& [aspect, message] : equivalence.differences) {
    if (told.insert(aspect).second) {
      count(counts.aspects[aspect], name, message);
    }
  }
}

std::string percent(int part, int whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * part / whole);
}

void printTable(const char* title, const std::map<std::string, AspectCount>& entries, bool withMessage) {
  if (entries.empty()) {
    return;
  }
  fmt::print("\n{}\n", title);
  std::vector<std::pair<std::string, AspectCount>> sorted(entries.begin(), entries.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.cases > b.second.cases; });
  for (const auto& [name, entry] : sorted) {
    fmt::print("  {:5} {}\n        first in {}{}\n", entry.cases, name, entry.first,
               withMessage ? ": " + entry.message : "");
  }
}

void printCounts(const EquivalenceCounts& counts) {
  fmt::print("{} Cases, {} of them right under {}; {} graphs of the real pipeline taken over, {} not.\n", counts.cases,
             counts.right, kBackend, counts.imported, counts.refused);
  fmt::print("{} compared ({} pairs of graphs), {} agree: {} of those that are right, {} of those compared.\n",
             counts.compared, counts.graphs, counts.agreed, percent(counts.agreed, counts.right),
             percent(counts.agreed, counts.compared));
  if (counts.partitions > 0) {
    fmt::print("The laws of a partition hold of {} of {} partitions of the real pipeline.\n",
               counts.partitions - counts.brokenPartitions, counts.partitions);
  }
  printTable("Laws that do not hold, breaches:", counts.breaches, true);
  printTable("Partitions that were not judged:", counts.unjudged, false);
  printTable("Disagreements (native / real), Cases by what they are about:", counts.aspects, true);
  printTable("Left out, by what torch:aot_eager makes of the Case:", counts.leftOut, false);
  printTable("Not compared:", counts.notCompared, false);
  printTable("Graphs that were not taken over:", counts.notImported, false);
}

nlohmann::json tableJson(const std::map<std::string, AspectCount>& entries) {
  nlohmann::json table = nlohmann::json::array();
  for (const auto& [name, entry] : entries) {
    table.push_back({{"name", name}, {"cases", entry.cases}, {"first", entry.first}, {"message", entry.message}});
  }
  return table;
}

std::vector<worker::Job> jobsOf(const EquivalenceOptions& options, std::vector<std::string>& names) {
  std::vector<worker::Job> jobs;
  const auto add = [&](worker::Job job, std::string name) {
    job.id = jobs.size();
    job.backends = {kBackend};
    job.task = worker::EquivalenceTask{};
    job.wantCase = !options.writeCases.empty();
    jobs.push_back(std::move(job));
    names.push_back(std::move(name));
  };
  for (const std::string& path : pool::findCaseFiles(options.paths)) {
    add({.source = worker::PrintedCase{pool::readGivenCase(path).text}}, path);
  }
  for (uint64_t i = 0; options.paths.empty() && i < options.cases; ++i) {
    add({.source = worker::GeneratedCase{options.seed, options.start + i}},
        fmt::format("Case {} of seed {}", options.start + i, options.seed));
  }
  return jobs;
}

void printJson(const EquivalenceCounts& counts) {
  report::printJson({{"schema", 1},
                     {"torch", report::torchVersion()},
                     {"cases", counts.cases},
                     {"right", counts.right},
                     {"compared", counts.compared},
                     {"agreed", counts.agreed},
                     {"graphs", counts.graphs},
                     {"imported", counts.imported},
                     {"refused", counts.refused},
                     {"partitions", counts.partitions},
                     {"breaches", tableJson(counts.breaches)},
                     {"unjudged_partitions", tableJson(counts.unjudged)},
                     {"disagreements", tableJson(counts.aspects)},
                     {"left_out", tableJson(counts.leftOut)},
                     {"not_compared", tableJson(counts.notCompared)},
                     {"not_imported", tableJson(counts.notImported)}});
}

/// All Cases of a command, a few batches at a time.
class EquivalenceRun {
 public:
  explicit EquivalenceRun(const EquivalenceOptions& options)
      : options_(options),
        jobs_(jobsOf(options, names_)),
        pool_({.workersPerFamily = options.workers, .backends = {kBackend}, .limits = options.limits}),
        display_({.seconds = std::nullopt, .cases = jobs_.size()}) {}

  /// Each Case in a child of its own: what a compile that raised has left switched on would change the next one.
  void compareAll() {
    const size_t perRound = static_cast<size_t>(options_.workers) * kCasesPerRound;
    std::vector<pool::PoolBatch> round;
    for (const worker::Job& job : jobs_) {
      round.push_back({ir::Family::kTorch, {pool::limitsFor(job.backends), {job}}});
      if (round.size() == perRound || job.id + 1 == jobs_.size()) {
        take(pool_.run(std::exchange(round, {})));
      }
    }
  }

  const EquivalenceCounts& counts() const { return counts_; }

 private:
  void take(const std::vector<worker::JobResult>& results) {
    for (const worker::JobResult& result : results) {
      const std::string& name = names_.at(result.id);
      add(counts_, name, result);
      if (!result.error.empty()) {
        display_.say(name + ": " + result.error);
      }
      if (const auto* found = result.as<worker::EquivalenceResult>()) {
        tell(name, result, *found);
      }
    }
    tally_.cases = counts_.cases;
    display_.update(tally_, 0, fmt::format("{} of {} Cases, {} agree", counts_.cases, jobs_.size(), counts_.agreed));
  }

  void tell(const std::string& name, const worker::JobResult& result, const worker::EquivalenceResult& found) {
    const auto& differences = found.differences;
    for (const auto& [law, message] : found.breaches) {
      display_.say(fmt::format("{}: breaks the law `{}`: {}", name, law, message));
    }
    for (size_t i = 0; i < differences.size() && !options_.paths.empty(); ++i) {
      display_.say(fmt::format("{}: {}: {}", name, differences[i].first, differences[i].second));
    }
    if (!options_.writeCases.empty() && !differences.empty()) {
      const int64_t number =
          options_.paths.empty() ? static_cast<int64_t>(options_.start + result.id) : static_cast<int64_t>(result.id);
      base::writeFile(std::filesystem::path(options_.writeCases) / fmt::format("case_{}.py", number), result.caseText);
    }
  }

  const EquivalenceOptions& options_;
  std::vector<std::string> names_;
  const std::vector<worker::Job> jobs_;
  pool::WorkerPool pool_;
  report::ProgressDisplay display_;
  report::Tally tally_;
  EquivalenceCounts counts_;
};

base::ExitStatus checkEquivalenceOfCases(const EquivalenceOptions& options) {
  base::tryToWriteInto(options.writeCases);
  EquivalenceRun run(options);
  bool isWhole = true;
  try {
    run.compareAll();
  } catch (const base::Interrupted&) {
    isWhole = false;
  }
  const EquivalenceCounts& counts = run.counts();
  options.json ? printJson(counts) : printCounts(counts);
  if (!isWhole) {
    return base::ExitStatus::kInterrupted;
  }
  if (counts.compared == 0 && counts.breaches.empty()) {
    return base::ExitStatus::kTooLittleJudged;
  }
  return counts.agreed == counts.compared && counts.breaches.empty() ? base::ExitStatus::kNothingNew
                                                                     : base::ExitStatus::kFindings;
}

} // namespace

options::Command equivalenceCommand() {
  const auto asked = std::make_shared<EquivalenceOptions>();
  return {
      .options = {{"files", &asked->paths, "Case files and folders; none: generated Cases"},
                  {"--cases", &asked->cases, "Generate so many", options::aboveZero().shown()},
                  options::seed(&asked->seed, "Seed of the generated Cases"),
                  options::start(asked->start, "Index of the first generated Case"),
                  options::jobs(asked->workers, "Worker processes"),
                  {"--write-cases", &asked->writeCases, "Folder for the Cases that disagree, one file each"},
                  pool::limitOptions(asked->limits),
                  options::jsonFlag(asked->json)},
      .footer =
          "The first call of each Case that is right under torch:aot_eager is compiled by both pipelines. Compared are, for\n"
          "each captured graph: what is said of inputs and outputs, what they hold in the end, the gradients, and what is saved\n"
          "for the backward. The graphs are compared in a normal form in which names, order, views, copies, repeated expressions\n"
          "and dead code leave no trace. docs/equivalence.md explains the classes of disagreement.\n"
          "The partitions of torch:aot_eager are also held against the laws of a partition: forward and backward compute what\n"
          "the joint graph does, and neither writes to what is saved, moves a write or draws twice.\n"
          "Exit status: 1 when some disagree or break a law; 4 when nothing could be compared.\n"
          "\nExamples:\n"
          "  touchstone equivalence case.py\n"
          "  touchstone equivalence --cases 5000 --seed 1 --jobs 2",
      .run = [asked](const options::Given&) { return checkEquivalenceOfCases(*asked); },
  };
}

} // namespace touchstone::commands
