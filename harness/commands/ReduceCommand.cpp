#include "harness/commands/ReduceCommand.h"

#include "backends/Registry.h"
#include "base/Words.h"
#include "program/language/CasePrinter.h"
#include "base/AtomicFile.h"
#include "harness/pool/CaseFiles.h"
#include "harness/triage/Confirmation.h"
#include "harness/report/Expectations.h"
#include "base/Interrupt.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/report/Report.h"
#include "program/analysis/Skeleton.h"
#include "harness/baseline/KnownFindings.h"
#include "harness/reducer/OtherFindings.h"
#include "harness/reducer/OutsideJudge.h"
#include "harness/reducer/Reducer.h"
#include "harness/reducer/ReductionProgress.h"
#include "harness/store/FindingFiles.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

namespace touchstone::harness {

namespace {

constexpr int kRunsOfFlaky = 10; // to learn how often a symptom shows that did not recur
constexpr double kMissedShare = 0.05; // of candidates that show a flaky symptom, at most, as far as can be told
constexpr int kMostRepetitions = 20;

/// A symptom that does not always show.
struct Flakiness {
  int shown = 0, runs = 0;
  bool is() const { return shown < runs; }
  std::string text() const { return fmt::format("flaky ({} of {})", shown, runs); }
  /// Runs of a candidate, so that few that show it are missed.
  int repetitions() const {
    const double missedOnce = 1 - static_cast<double>(shown) / runs;
    const int needed = is() ? static_cast<int>(std::ceil(std::log(kMissedShare) / std::log(missedOnce))) : 1;
    return std::clamp(needed, is() ? 2 : 1, kMostRepetitions);
  }
};

ExitStatus nothingToReduce(const ReduceOptions& options, const BackendResult& result) {
  fmt::print(
      stderr, "Nothing to reduce: under `{}` the outcome of {} is {}{}.{}\n", result.backend, options.path, result.text,
      result.outcome == graph::Outcome::kUpstream ? "; `" + result.origin + "` shows it, too: reduce it under that one"
      : result.outcome == graph::Outcome::kKnown  ? "; that is known: " + result.detail
                                                  : "",
      result.message.empty() ? "" : " " + result.message);
  return ExitStatus::kTooLittleJudged;
}

/// Candidates that failed in another way and do so again, as the backend's own: each is written beside the output, or told
/// of where there is none.
nlohmann::json keepOthers(WorkerPool& pool, const OtherFindings& others, const ReduceOptions& options) {
  nlohmann::json kept = nlohmann::json::array();
  for (const OtherFinding& other : others.all()) {
    if (interruptRequested()) {
      break;
    }
    const Confirmation confirmation = confirm(pool, graph::printCase(other.theCase), other.result);
    if (!confirmation.recurs || !confirmation.upstream.empty() || !graph::isFinding(confirmation.result.outcome)) {
      continue;
    }
    std::filesystem::path file;
    if (!options.output.empty()) {
      file = options.output;
      file.replace_filename(fmt::format("{}.other{}.py", file.stem().string(), kept.size() + 1));
      graph::Case theCase = other.theCase;
      theCase.setHeader("backend", other.result.backend);
      theCase.headers.push_back({"note", "met while something else was reduced; not reduced itself"});
      theCase.expectations = {expectationOf(confirmation.result)};
      writeFile(file, graph::printCase(theCase));
    }
    const std::string symptom = symptomOf(confirmation.result).line();
    fmt::print(stderr, "Another finding on the way: {}{}\n", symptom,
               file.empty() ? "; with --output it is kept" : ": " + file.string());
    kept.push_back({{"symptom", symptom}, {"file", file.string()}});
  }
  return kept;
}

/// Writes the reduced Case and prints what is asked for.
void deliver(const ReduceOptions& options, const graph::Case& reduced, const Reduction& reduction,
             const ReductionProgress& progress, nlohmann::json object) {
  const std::string text = graph::printCase(reduced);
  if (!options.output.empty()) {
    writeFile(options.output, text);
    fmt::print(stderr, "{} has it: {}, {}.\n", options.output,
               graph::counted(static_cast<int64_t>(skeletonOf(reduced).operators.size()), "operator"),
               graph::counted(static_cast<int64_t>(reduced.calls.size()), "call"));
  }
  if (!options.json) {
    if (options.output.empty()) {
      fmt::print("{}", text);
    }
    return;
  }
  object.update({{"schema", 1},
                 {"torch", torchVersion()},
                 {"operations", skeletonOf(reduced).operators.size()},
                 {"calls", reduced.calls.size()},
                 {"candidates", progress.candidates()},
                 {"passes", progress.passesJson()},
                 {"finished", reduction.isFinished},
                 {"seconds", progress.seconds()},
                 {"file", options.output},
                 {"case", text}});
  fmt::print("{}\n", dumpJson(object, 1));
}

ReducerOptions reducerOptions(const ReduceOptions& options, ReductionProgress& progress) {
  ReducerOptions reducing;
  reducing.seconds = options.seconds;
  reducing.passes = choosePasses(options.passes);
  progress.attachTo(reducing);
  return reducing;
}

/// The last step of which the command says yes once more; steps are asked about from the last, by leaps.
const graph::Case& lastConfirmed(const OutsideJudge& judge, const std::vector<graph::Case>& steps) {
  const InterruptPause pause; // what is written was confirmed
  size_t step = steps.size() - 1;
  for (size_t leap = 1; step > 0 && !judge.refusalOf(steps[step]).empty(); leap *= 2) {
    fmt::print(stderr, "The command says no to what it said yes to before; an earlier step is asked about.\n");
    step -= std::min(step, leap);
  }
  return steps[step];
}

ExitStatus statusOf(const Reduction& reduction) {
  return !reduction.isFinished && interruptRequested() ? ExitStatus::kInterrupted : ExitStatus::kNothingNew;
}

} // namespace

std::string backendOfFinding(const std::string& path) {
  const std::optional<std::string> backend = readGivenCase(path).theCase.header("backend");
  if (!backend) {
    throw WrongUse(fmt::format("{} does not say under which backend it was found. Give one with --backend.", path));
  }
  return *backend;
}

ExitStatus reduceFile(const ReduceOptions& options) {
  const graph::BackendInfo info = backends::backendInfo(options.backend);
  const graph::Case theCase = readGivenCase(options.path).theCase;
  ReductionProgress progress(theCase);
  ReducerOptions reducing = reducerOptions(options, progress);
  tryToWriteFile(options.output);
  PoolOptions workers{options.workers, {info.name}, limitsOf(options.profile, {}), "", options.profile};
  workers.prepareFor(theCase);
  WorkerPool pool(workers);
  Job job;
  job.caseText = graph::printCase(theCase);
  job.backends = {info.name};
  // A flaky symptom may not show at once.
  std::optional<BackendResult> found;
  Flakiness flakiness;
  while (!found && flakiness.runs < kRunsOfFlaky) {
    const JobResult run = pool.run({{info.family, {limitsFor(job.backends), {job}}}}).at(0);
    if (!run.error.empty() || run.backends.empty()) {
      throw std::runtime_error(run.error);
    }
    ++flakiness.runs;
    if (graph::isFinding(run.backends[0].outcome)) {
      found = run.backends[0];
      ++flakiness.shown;
    } else if (run.backends[0].outcome != graph::Outcome::kAgreed || flakiness.runs == kRunsOfFlaky) {
      return nothingToReduce(options, run.backends[0]);
    }
  }
  Confirmation confirmation = confirm(pool, job.caseText, *found);
  flakiness.shown += confirmation.shown;
  flakiness.runs += confirmation.runs;
  if (flakiness.is()) {
    confirmation = confirm(pool, job.caseText, *found, kRunsOfFlaky);
    flakiness.shown += confirmation.shown;
    flakiness.runs += confirmation.runs;
    if (confirmation.shown == 0) {
      fmt::print(stderr, "The outcome does not recur, so it cannot be reduced: it showed in {} of {} runs.\n{} {}\n{}",
                 flakiness.shown, flakiness.runs, info.name, found->text, confirmation.history);
      return ExitStatus::kTooLittleJudged;
    }
    fmt::print(stderr, "The symptom is {}: each candidate is judged {} times.\n", flakiness.text(),
               flakiness.repetitions());
  }
  if (!confirmation.upstream.empty()) {
    fmt::print(stderr, "Nothing to reduce: `{}` shows it, too: reduce {} under that one.\n", confirmation.upstream,
               options.path);
    return ExitStatus::kTooLittleJudged;
  }
  const Symptom symptom = symptomOf(confirmation.result);
  OtherFindings met;
  const KnownFindings known = options.known.empty() ? KnownFindings() : readKnownFindings(options.known, todayUtc());
  const SymptomJudge judge(
      pool, confirmation.result, theCase,
      {.workers = options.workers,
       .repetitions = flakiness.repetitions(),
       .isExcluded = maskedOtherwiseIn(known, theCase, symptom),
       .onOther = [&](const graph::Case& other, const BackendResult& result) { met.add(other, result); }});
  Reduction reduction = reduceCase(theCase, placeOf(confirmation.result), judge, reducing);
  if (!interruptRequested() && !flakiness.is()) {
    reduction.steps.push_back(withSecondCall(reduction.best(), judge));
  }
  graph::Case reduced = theCase;
  nlohmann::json others = nlohmann::json::array();
  BackendResult last = confirmation.result;
  {
    const InterruptPause pause; // what is written was confirmed
    const int times = flakiness.is() ? flakiness.repetitions() : 1;
    if (auto step = confirmLast(pool, reduction.steps, confirmation.result, times, flakiness.is())) {
      reduced = reduction.steps[step->step];
      last = step->confirmation.result;
      reduced.expectations = {expectationOf(last)};
    }
  }
  reduced.setHeader("backend", info.name);
  std::erase_if(reduced.headers, [](const graph::HeaderLine& line) { // of the start, and by its operators
    return line.key == "cluster" || line.key == "stage" || line.key == "note";
  });
  if (!last.message.empty()) {
    reduced.setHeader("note", last.message);
  }
  noteImports(reduced, info.name, options.profile);
  if (flakiness.is()) {
    reduced.headers.push_back({"note", "the symptom is " + flakiness.text()});
  }
  if (!reduction.isFinished) {
    noteUnfinished(reduced);
  }
  try {
    others = keepOthers(pool, met, options);
  } catch (const Interrupted&) { // the reduced Case is still delivered
  }
  deliver(options, reduced, reduction, progress,
          {{"backend", info.name},
           {"symptom", symptom.text},
           {"base", symptom.baseOutcome},
           {"shown", flakiness.shown},
           {"runs", flakiness.runs},
           {"others", others},
           {"message", last.message}});
  return statusOf(reduction);
}

ExitStatus reduceByCheck(const ReduceOptions& options) {
  const graph::Case theCase = readGivenCase(options.path).theCase;
  ReductionProgress progress(theCase);
  const ReducerOptions reducing = reducerOptions(options, progress);
  tryToWriteFile(options.output);
  const OutsideJudge judge({.command = options.check,
                            .fileName = std::filesystem::path(options.path).filename().string(),
                            .jobs = options.workers,
                            .secondsPerRun = options.checkSeconds});
  if (const std::string refusal = judge.refusalOf(theCase); !refusal.empty()) {
    throw WrongUse(
        fmt::format("There is nothing to reduce: of {} itself, `{}` says no: {}. The command gets the path of a "
                    "case file behind it or in the place of {{}}, and ends with exit status 0 as long as the "
                    "Case is what you look for.",
                    options.path, options.check, refusal));
  }
  const double deadline = wallSeconds() + options.seconds;
  const CandidateJudge untilThen = [&](const std::vector<graph::Case>& each) { return judge(each, deadline); };
  const Reduction reduction = reduceCase(theCase, {}, untilThen, reducing);
  graph::Case reduced = lastConfirmed(judge, reduction.steps);
  // What the file says of backends was not looked at, and may not hold of what is left.
  reduced.expectations.clear();
  std::erase_if(reduced.headers, [](const graph::HeaderLine& line) {
    static const std::set<std::string> kOfFindings{"cluster", "backend", "symptom", "origin",
                                                   "base",    "stage",   "note",    kProfileHeader};
    return kOfFindings.contains(line.key);
  });
  if (!reduction.isFinished) {
    noteUnfinished(reduced);
  }
  deliver(options, reduced, reduction, progress, {{"check", options.check}});
  return statusOf(reduction);
}

ExitStatus listPasses(bool json) {
  nlohmann::json list = nlohmann::json::array();
  for (const ReductionPass& pass : reductionPasses()) {
    list.push_back({{"name", pass.name}, {"description", pass.description}});
    if (!json) {
      fmt::print("{:<18}{}\n", pass.name, pass.description);
    }
  }
  if (json) {
    fmt::print("{}\n", dumpJson(list, 1));
  }
  return ExitStatus::kNothingNew;
}

} // namespace touchstone::harness
