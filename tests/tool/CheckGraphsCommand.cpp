#include "tests/tool/Commands.h"

#include "base/AtomicFile.h"
#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/worker/CheckGraphsTask.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::tool {

namespace {

/// `touchstone check-graphs`, for tests: the Graphs of random Cases, written and read, or printed and drawn; see harness/worker/CheckGraphsTask.h.
/// Exit status 5 when one fails, 4 when fewer than half of the Cases had Graphs.
struct CheckGraphsOptions {
  std::string check = "files";
  uint64_t seed = 1, start = 0, cases = 1000;
  int workers = 1;
  std::vector<std::string> backends; // empty: `aot_eager`, of texts also `eager`
  std::string output; // folder for Python texts; empty: none
};

constexpr uint64_t kCasesPerChild = 16;
constexpr uint64_t kChildrenPerRound = 4; // of each worker

struct Sums {
  uint64_t cases = 0, compiled = 0, failed = 0;
  int64_t graphs = 0, folders = 0, kept = 0;
  std::map<std::string, int> skipped, refused; // by reason
};

std::string firstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

class CheckRun {
 public:
  explicit CheckRun(const CheckGraphsOptions& options)
      : options_(options),
        backends_(!options.backends.empty()              ? options.backends
                  : options.check == worker::kCheckTexts ? std::vector<std::string>{"eager", "aot_eager"}
                                                         : std::vector<std::string>{"aot_eager"}),
        pool_({.workersPerFamily = options.workers, .backends = backends_}),
        display_({.seconds = std::nullopt, .cases = options.cases}) {}

  void checkAll() {
    std::vector<pool::PoolBatch> round;
    for (uint64_t i = 0; i < options_.cases; ++i) {
      if (i % kCasesPerChild == 0) {
        round.push_back({ir::Family::kNative, {pool::limitsFor(backends_), {}}});
      }
      worker::Job job;
      job.id = i;
      job.source = worker::GeneratedCase{options_.seed, options_.start + i};
      job.backends = backends_;
      job.task = worker::CheckGraphsTask{options_.check, !options_.output.empty()};
      round.back().batch.jobs.push_back(std::move(job));
      const bool isFull = round.back().batch.jobs.size() == kCasesPerChild;
      const auto most = kChildrenPerRound * static_cast<uint64_t>(options_.workers);
      if (i + 1 == options_.cases || (isFull && round.size() == most)) {
        for (const worker::JobResult& result : pool_.run(std::exchange(round, {}))) {
          add(result);
        }
        tally_.cases = static_cast<int>(sums_.cases);
        display_.update(tally_, 0,
                        fmt::format("{} of {} Cases, {} Graphs, {} failures", sums_.cases, options_.cases, sums_.graphs,
                                    sums_.failed));
      }
    }
  }

  const Sums& sums() const { return sums_; }

 private:
  void add(const worker::JobResult& result) {
    ++sums_.cases;
    const uint64_t index = options_.start + result.id;
    const auto* found = result.as<worker::GraphCheck>();
    if (found == nullptr || !result.backends.empty()) { // the latter: the process ended, in whichever run
      ++sums_.failed;
      display_.say(fmt::format("Case {} of seed {}: {}", index, options_.seed,
                               !result.error.empty()      ? result.error
                               : !result.backends.empty() ? result.backends.front().message
                                                          : "the process has ended"));
      return;
    }
    const worker::GraphCheck& check = *found;
    sums_.compiled += check.graphs > 0 ? 1 : 0;
    sums_.graphs += check.graphs;
    sums_.folders += check.folders;
    sums_.kept += check.kept;
    if (check.graphs == 0) {
      ++sums_.skipped[check.skipped.empty() ? "nothing was captured" : firstLine(check.skipped)];
    }
    for (const std::string& refused : check.refused) {
      ++sums_.refused[firstLine(refused)];
    }
    sums_.failed += check.failures.empty() ? 0 : 1;
    for (const std::string& failure : check.failures) {
      display_.say(fmt::format("Case {} of seed {}: {}", index, options_.seed, failure));
    }
    for (size_t i = 0; i < check.python.size(); ++i) {
      base::writeFile(std::filesystem::path(options_.output) / fmt::format("case_{}_{}.py", index, i), check.python[i]);
    }
  }

  const CheckGraphsOptions& options_;
  const std::vector<std::string> backends_;
  pool::WorkerPool pool_;
  report::ProgressDisplay display_;
  report::Tally tally_;
  Sums sums_;
};

void printReasons(const char* title, const std::map<std::string, int>& reasons) {
  for (const auto& [reason, count] : reasons) {
    fmt::print("  {} {} x {}\n", title, count, reason);
  }
}

base::ExitStatus checkGraphsOfCases(const CheckGraphsOptions& options) {
  base::tryToWriteInto(options.output);
  CheckRun run(options);
  run.checkAll();
  const Sums& sums = run.sums();
  fmt::print("{} Cases, {} with Graphs, {} Graphs", sums.cases, sums.compiled, sums.graphs);
  if (options.check == worker::kCheckFiles) {
    fmt::print(" in {} folders, {} of them run again on what they were given", sums.folders, sums.kept);
  }
  fmt::print("; {} Cases fail\n", sums.failed);
  printReasons("no Graphs:", sums.skipped);
  printReasons("not written:", sums.refused);
  if (sums.failed > 0) {
    return base::ExitStatus::kFailed;
  }
  return sums.compiled * 2 < sums.cases ? base::ExitStatus::kTooLittleJudged : base::ExitStatus::kNothingNew;
}

} // namespace

options::Command checkGraphsCommand() {
  const auto asked = std::make_shared<CheckGraphsOptions>();
  return {
      .options = {{"--check", &asked->check, "files: written and read; texts: printed and drawn",
                   options::oneOf({"files", "texts"}).shown()},
                  options::seed(&asked->seed, "Seed of the campaign"),
                  options::start(asked->start),
                  {"--cases", &asked->cases, "How many", options::shown()},
                  options::jobs(asked->workers, "Worker processes"),
                  options::backends(asked->backends, "Native ones; of `files` one, an AOT pipeline"),
                  {"--out,-o", &asked->output, "Folder for the Graphs as Python files, with `texts`"}},
      .footer = "",
      .run = [asked](const options::Given&) { return checkGraphsOfCases(*asked); },
  };
}

} // namespace touchstone::tool
