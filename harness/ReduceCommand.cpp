#include "harness/ReduceCommand.h"
#include "harness/CaseFiles.h"

#include "backends/Registry.h"
#include "graph/program/CasePrinter.h"
#include "harness/AtomicFile.h"
#include "harness/Confirmation.h"
#include "harness/Expectations.h"
#include "harness/ProfileFlags.h"
#include "harness/Report.h"
#include "harness/Skeleton.h"
#include "harness/reducer/Reducer.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace touchstone::harness {

std::string backendOfFinding(const std::string& path) {
  const std::optional<std::string> backend = readGivenCase(path).theCase.header("backend");
  if (!backend) {
    throw WrongUse(fmt::format("{} does not say under which backend it was found. Give one with --backend.", path));
  }
  return *backend;
}

ExitStatus reduceFile(const ReduceOptions& options) {
  const double begin = wallSeconds();
  const graph::BackendInfo info = backends::backendInfo(options.backend);
  const graph::Case theCase = readGivenCase(options.path).theCase;
  tryToWriteFile(options.output);
  PoolOptions workers{options.workers, {info.name}, limitsOf(options.profile, {}), "", options.profile};
  workers.prepareFor(theCase);
  WorkerPool pool(workers);
  Job job;
  job.caseText = graph::printCase(theCase);
  job.backends = {info.name};
  const JobResult first = pool.run({{info.family, {limitsFor(job.backends), {job}}}}).at(0);
  if (!first.error.empty() || first.backends.empty()) {
    throw std::runtime_error(first.error);
  }
  const BackendResult& result = first.backends[0];
  const bool upstream = result.outcome == graph::Outcome::kUpstream;
  if (!graph::isFinding(result.outcome)) {
    fmt::print(stderr, "Nothing to reduce: under `{}` the outcome of {} is {}{}.{}\n", info.name, options.path,
               result.text,
               upstream ? "; `" + result.origin + "` shows it, too: reduce it under that one"
               : result.outcome == graph::Outcome::kKnown ? "; that is known: " + result.detail
                                                          : "",
               result.message.empty() ? "" : " " + result.message);
    return ExitStatus::kTooLittleJudged;
  }
  Confirmation confirmation = confirm(pool, job.caseText, result);
  if (!confirmation.recurs) {
    fmt::print(stderr, "The outcome does not recur, so it cannot be reduced:\n{} {}\n{}", info.name, result.text,
               confirmation.history);
    return ExitStatus::kTooLittleJudged;
  }
  const Symptom symptom = symptomOf(confirmation.result);
  ReducerOptions reducing;
  reducing.seconds = options.seconds;
  reducing.onBetter = [&](const graph::Case& better) {
    fmt::print(stderr, "{:.0f} s: {} operators, {} calls\n", wallSeconds() - begin, skeletonOf(better).operators.size(),
               better.calls.size());
  };
  size_t candidates = 0;
  reducing.onJudged = [&](const char*, size_t count, bool) { candidates += count; };
  const SymptomJudge judge(pool, confirmation.result, theCase, options.workers);
  graph::Case reduced = withSecondCall(reduceCase(theCase, placeOf(confirmation.result), judge, reducing), judge);
  const Confirmation last = confirm(pool, graph::printCase(reduced), confirmation.result, 1);
  reduced.setHeader("backend", info.name);
  noteImports(reduced, info.name, options.profile);
  if (last.recurs) {
    reduced.expectations = {expectationOf(last.result)};
  }
  const std::string text = graph::printCase(reduced);
  if (!options.output.empty()) {
    writeFile(options.output, text);
  }
  if (options.json) {
    const nlohmann::json object{{"schema", 1},
                                {"torch", torchVersion()},
                                {"backend", info.name},
                                {"symptom", symptom.text},
                                {"base", symptom.baseOutcome},
                                {"operations", skeletonOf(reduced).operators.size()},
                                {"calls", reduced.calls.size()},
                                {"candidates", candidates},
                                {"seconds", wallSeconds() - begin},
                                {"message", last.recurs ? last.result.message : confirmation.result.message},
                                {"file", options.output},
                                {"case", text}};
    fmt::print("{}\n", dumpJson(object, 1));
  } else if (options.output.empty()) {
    fmt::print("{}", text);
  }
  return ExitStatus::kNothingNew;
}

} // namespace touchstone::harness
