#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "base/Words.h"
#include "harness/baseline/KnownFindings.h"
#include "harness/commands/GraphCase.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/reducer/OutsideJudge.h"
#include "harness/reducer/Reducer.h"
#include "harness/reducer/ReductionPasses.h"
#include "harness/reducer/ReductionProgress.h"
#include "harness/report/Expectations.h"
#include "harness/report/Report.h"
#include "harness/store/FindingFiles.h"
#include "harness/triage/Confirmation.h"
#include "harness/worker/KnownCause.h"
#include "harness/worker/Profile.h"
#include "harness/worker/Progress.h"
#include "program/analysis/ProgramSignature.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace touchstone::commands {

namespace {

/// `touchstone reduce`: the smallest Case with the same symptom, origin and base outcome, or the smallest of which a command
/// says that it is still what is looked for.
struct ReduceOptions {
  std::string path;
  std::string backend;
  std::string check; // a command in place of a backend, see OutsideJudgeOptions
  double checkSeconds = 60; // for each run of it
  reducer::PassChoice passes;
  std::string known; // file of known findings: candidates that a suppression of it matches do not count; empty: none
  std::string output; // file; empty: standard output
  int workers = 1;
  double seconds = 120;
  worker::Profile profile = {};
  bool json = false;
  bool listPasses = false;
};

/// What is to be reduced, read once.
struct ReduceInput {
  language::Case theCase;
  std::string backend; // under which a finding was found, or what compiled a folder of Graphs; empty: not asked for
  std::string fileName; // of a Case that is given to a command
};

ReduceInput readInput(const std::string& path, bool wantsBackend) {
  if (const std::optional<GraphFolderCase> graphs = caseOfGraphFolder(path)) {
    if (wantsBackend && !backends::isBackend(graphs->pipeline)) {
      throw base::WrongUse(fmt::format("{} was compiled by `{}`, which is no backend. Give one with --backend.", path,
                                       graphs->pipeline));
    }
    return {graphs->theCase, graphs->pipeline, "graph.py"};
  }
  const language::Case theCase = pool::readGivenCase(path).theCase;
  return {theCase, wantsBackend ? pool::backendOfFinding(theCase, path) : "",
          std::filesystem::path(path).filename().string()};
}

constexpr int kRunsUntilItShows = 10; // at most: a flaky symptom may not show at once

base::ExitStatus nothingToReduce(const ReduceOptions& options, const worker::BackendResult& result) {
  fmt::print(stderr, "Nothing to reduce: under `{}` the outcome of {} is {}{}.{}\n", result.backend, options.path,
             result.text,
             result.outcome == language::Outcome::kUpstream
                 ? "; `" + result.origin + "` shows it, too: reduce it under that one"
             : result.outcome == language::Outcome::kKnown
                 ? "; that is known: " + result.detail + worker::whereDefectsAre(result.detail)
                 : "",
             result.message.empty() ? "" : " " + result.message);
  return base::ExitStatus::kTooLittleJudged;
}

/// Candidates that failed in another way and do so again, as the backend's own: each is written beside the output, or told
/// of where there is none.
nlohmann::json keepOthers(const findings::OtherFindings& others, const findings::RunAlone& run,
                          const ReduceOptions& options) {
  nlohmann::json kept = nlohmann::json::array();
  for (const findings::OtherFinding& each : others.all()) {
    if (base::interruptRequested()) {
      break;
    }
    std::optional<findings::Suspect> other = findings::confirmedOther(each, options.path, run);
    if (!other.has_value()) {
      continue;
    }
    std::filesystem::path file;
    if (!options.output.empty()) {
      file = options.output;
      file.replace_filename(fmt::format("{}.other{}.py", file.stem().string(), kept.size() + 1));
      findings::FindingHeaders headers = findings::headersOf(other->theCase);
      headers.symptom.backend = other->result.backend;
      headers.notes.emplace_back("met while something else was reduced; not reduced itself");
      findings::label(other->theCase, headers, {report::expectationOf(other->result)}, options.profile);
      base::writeFile(file, standalone::printCase(other->theCase));
    }
    const std::string symptom = worker::symptomOf(other->result).line();
    fmt::print(stderr, "Another finding on the way: {}{}\n", symptom,
               file.empty() ? "; with --output it is kept" : ": " + file.string());
    kept.push_back({{"symptom", symptom}, {"file", file.string()}});
  }
  return kept;
}

/// Writes the reduced Case and prints what is asked for.
void deliver(const ReduceOptions& options, const language::Case& reduced, bool isFinished,
             const reducer::ReductionProgress& progress, nlohmann::json object) {
  const std::string text = standalone::printCase(reduced);
  if (!options.output.empty()) {
    base::writeFile(options.output, text);
    fmt::print(stderr, "{} has it: {}, {}.\n", options.output,
               base::counted(static_cast<int64_t>(analysis::signatureOf(reduced).operators.size()), "operator"),
               base::counted(static_cast<int64_t>(reduced.calls.size()), "call"));
  }
  if (!options.json) {
    if (options.output.empty()) {
      fmt::print("{}", text);
    }
    return;
  }
  object.update({{"schema", 1},
                 {"torch", report::torchVersion()},
                 {"operations", analysis::signatureOf(reduced).operators.size()},
                 {"calls", reduced.calls.size()},
                 {"candidates", progress.candidates()},
                 {"passes", progress.passesJson()},
                 {"finished", isFinished},
                 {"seconds", progress.seconds()},
                 {"file", options.output},
                 {"case", text}});
  report::printJson(object);
}

reducer::ReducerOptions reducerOptions(const ReduceOptions& options, reducer::ReductionProgress& progress) {
  reducer::ReducerOptions reducing;
  reducing.seconds = options.seconds;
  reducing.passes = reducer::choosePasses(options.passes);
  progress.attachTo(reducing);
  return reducing;
}

/// The last step of which the command says yes once more; steps are asked about from the last, by leaps.
const language::Case& lastConfirmed(const reducer::OutsideJudge& judge, const std::vector<language::Case>& steps) {
  const base::InterruptPause pause; // what is written was confirmed
  size_t step = steps.size() - 1;
  for (size_t leap = 1; step > 0 && !judge.refusalOf(steps[step]).empty(); leap *= 2) {
    fmt::print(stderr, "The command says no to what it said yes to before; an earlier step is asked about.\n");
    step -= std::min(step, leap);
  }
  return steps[step];
}

base::ExitStatus statusOf(bool isFinished) {
  return !isFinished && base::interruptRequested() ? base::ExitStatus::kInterrupted : base::ExitStatus::kNothingNew;
}

/// Runs the Case until it fails; false: it does not.
bool showsFinding(findings::Suspect& suspect, const std::string& backend, const pool::RunJob& run) {
  const worker::Job job{.source = worker::PrintedCase{standalone::printCase(suspect.theCase)}, .backends = {backend}};
  for (suspect.shown = suspect.runs = 0; suspect.runs < kRunsUntilItShows;) {
    const worker::JobResult result = run(job);
    if (result.first() == nullptr) {
      throw std::runtime_error(result.error);
    }
    ++suspect.runs;
    suspect.result = *result.first();
    if (language::isFinding(suspect.result.outcome)) {
      suspect.shown = 1;
      return true;
    }
    if (suspect.result.outcome != language::Outcome::kAgreed) {
      return false;
    }
  }
  return false;
}

base::ExitStatus unconfirmed(const ReduceOptions& options, const findings::Suspect& suspect) {
  if (suspect.upstream.empty()) {
    fmt::print(stderr, "The outcome does not recur, so it cannot be reduced: it showed in {} of {} runs.\n{} {}\n{}",
               suspect.shown, suspect.runs, suspect.result.backend, suspect.result.text, suspect.history);
  } else {
    fmt::print(stderr, "Nothing to reduce: `{}` shows it, too: reduce {} under that one.\n", suspect.upstream,
               options.path);
  }
  return base::ExitStatus::kTooLittleJudged;
}

/// What the file says: of a finding that was given, what still holds; and the message.
findings::FindingHeaders headersOf(const findings::Suspect& suspect) {
  findings::FindingHeaders headers = findings::headersOf(suspect.theCase);
  headers.symptom.backend = suspect.result.backend;
  headers.setMessage(suspect.isFlaky() ? "the symptom is " + suspect.flakyText() : "");
  headers.setMessage(suspect.result.message);
  return headers;
}

/// An interrupt and the end of the time leave the best so far, confirmed, with a `# note:` that reducing was not finished.
base::ExitStatus reduceFile(const ReduceOptions& options, const language::Case& theCase) {
  const ir::BackendInfo info = backends::backendInfo(options.backend);
  reducer::ReductionProgress progress(theCase);
  base::tryToWriteFile(options.output);
  pool::PoolOptions workers{options.workers, {info.name}, pool::limitsOf(options.profile, {}), "", options.profile};
  workers.prepareFor(theCase);
  pool::WorkerPool pool(workers);
  const findings::RunAlone runAlone = triage::aloneIn(pool);
  findings::Suspect suspect{.theCase = theCase, .result = {}, .foundBy = options.path};
  findings::forgetFinding(suspect.theCase);
  if (!showsFinding(suspect, info.name, pool::runnerOf(pool, info.family))) {
    return nothingToReduce(options, suspect.result);
  }
  if (!findings::confirm(suspect, runAlone, findings::IfFlaky::kMeasure)) {
    return unconfirmed(options, suspect);
  }
  if (suspect.isFlaky()) {
    fmt::print(stderr, "The symptom is {}: each candidate is judged {} times.\n", suspect.flakyText(),
               suspect.repetitions());
  }
  const worker::Symptom symptom = worker::symptomOf(suspect.result);
  findings::OtherFindings met;
  const baseline::KnownFindings known = baseline::givenKnownFindings(options.known);
  const triage::SymptomJudge judge(
      pool, suspect.result, theCase,
      {.workers = options.workers,
       .repetitions = suspect.repetitions(),
       .isExcluded = baseline::suppressedOtherwiseIn(known, theCase, symptom),
       .onOther = [&](const language::Case& other, const worker::BackendResult& result) { met.add(other, result); }});
  findings::reduce(suspect, judge, runAlone, reducerOptions(options, progress));
  findings::label(suspect.theCase, headersOf(suspect), {report::expectationOf(suspect.result)}, options.profile);
  nlohmann::json others = nlohmann::json::array();
  try {
    others = keepOthers(met, runAlone, options);
  } catch (const base::Interrupted&) { // the reduced Case is still delivered
  }
  deliver(options, suspect.theCase, suspect.isFinished, progress,
          {{"backend", info.name},
           {"symptom", symptom.text},
           {"base", symptom.baseOutcome},
           {"shown", suspect.shown},
           {"runs", suspect.runs},
           {"others", others},
           {"message", suspect.result.message}});
  return statusOf(suspect.isFinished);
}

base::ExitStatus reduceByCheck(const ReduceOptions& options, const ReduceInput& input) {
  const language::Case& theCase = input.theCase;
  reducer::ReductionProgress progress(theCase);
  const reducer::ReducerOptions reducing = reducerOptions(options, progress);
  base::tryToWriteFile(options.output);
  const reducer::OutsideJudge judge({.command = options.check,
                                     .fileName = input.fileName,
                                     .jobs = options.workers,
                                     .secondsPerRun = options.checkSeconds});
  if (const std::string refusal = judge.refusalOf(theCase); !refusal.empty()) {
    throw base::WrongUse(
        fmt::format("There is nothing to reduce: of {} itself, `{}` says no: {}. The command gets the path of a "
                    "case file behind it or in the place of {{}}, and ends with exit status 0 as long as the "
                    "Case is what you look for.",
                    options.path, options.check, refusal));
  }
  const double deadline = worker::wallSeconds() + options.seconds;
  const reducer::CandidateJudge untilThen = [&](const std::vector<language::Case>& each) {
    return judge(each, deadline);
  };
  const reducer::Reduction reduction = reducer::reduceCase(theCase, {}, untilThen, reducing);
  language::Case reduced = lastConfirmed(judge, reduction.steps);
  // What the file says of backends was not looked at, and may not hold of what is left.
  findings::FindingHeaders headers = findings::headersOf(reduced);
  headers.symptom = {};
  headers.profile.clear();
  findings::setHeaders(reduced, headers);
  findings::forgetFinding(reduced);
  reduced.expectations.clear();
  if (!reduction.isFinished) {
    findings::noteUnfinished(reduced);
  }
  deliver(options, reduced, reduction.isFinished, progress, {{"check", options.check}});
  return statusOf(reduction.isFinished);
}

/// `--list-passes`: names and descriptions, in order.
base::ExitStatus listPasses(bool json) {
  nlohmann::json list = nlohmann::json::array();
  for (const reducer::ReductionPass& pass : reducer::reductionPasses()) {
    list.push_back({{"name", pass.name}, {"description", pass.description}});
    if (!json) {
      fmt::print("{:<18}{}\n", pass.name, pass.description);
    }
  }
  if (json) {
    report::printJson(list);
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus reduce(ReduceOptions options, const pool::ProfileFlags& profile, const options::Given& given) {
  if (options.listPasses) {
    return listPasses(options.json);
  }
  if (options.path.empty()) {
    throw base::WrongUse("`touchstone reduce` needs a case file; `touchstone reduce --help` has examples.");
  }
  if (given.contains("--check")) {
    if (options.check.find_first_not_of(' ') == std::string::npos) {
      throw base::WrongUse("`--check` needs a command; `touchstone reduce --help` has an example.");
    }
    return reduceByCheck(options, readInput(options.path, false));
  }
  const ReduceInput input = readInput(options.path, options.backend.empty());
  if (options.backend.empty()) {
    options.backend = input.backend;
  }
  options.profile = profile.orStoredBeside({options.path}, {options.backend}).read(options.backend);
  return reduceFile(options, input.theCase);
}

} // namespace

options::Command reduceCommand() {
  const auto asked = std::make_shared<ReduceOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options =
          {{"case", &asked->path,
            "Case file, or a folder of Graphs that `dump --graphs` wrote: its forward, or the part given"},
           {"--backend,-b", &asked->backend,
            "The backend that fails it; default: the one of a finding or of a `# expect:`, or the one that a folder's Graphs were compiled by"},
           {"--check", &asked->check,
            "Ask this command in place of a backend: it gets a candidate's path behind it, or in the place of {}, and "
            "exit status 0 means that the candidate is still what you look for",
            options::Traits().excluding("--backend")},
           {"--check-seconds", &asked->checkSeconds, "Time for each run of the command; then its answer is no",
            options::aboveZero().shown()},
           {"--output,-o", &asked->output, "Where to write it; default: standard output"},
           {"--passes", &asked->passes.only, "Reduce with these passes alone, separated by commas",
            options::split().oneEach()},
           {"--without-passes", &asked->passes.without, "Reduce with all passes but these", options::split().oneEach()},
           {"--list-passes", &asked->listPasses, "Say what each pass does, in order, and end"},
           {"--known", &asked->known,
            "File of known findings: a candidate that one of its suppressions matches does not count, unless the Case given "
            "is matched, too; docs/known.md"},
           options::jobs(asked->workers, "Worker processes, or runs of the command at once", false),
           {"--seconds", &asked->seconds,
            "No candidate is begun after so many seconds; the best so far is confirmed and kept",
            options::aboveZero().shown()},
           options::jsonFlag(asked->json, "Print one JSON object instead, with the Case in it"),
           pool::profileOptions(*profile, pool::ProfileScope::kJudging)},
      .footer =
          "A candidate counts when it is smaller and shows the same symptom, from the same pipeline on. Ctrl-C and the end of\n"
          "the time leave the best so far, with a `# note:` that reducing was not finished. docs/reducing.md tells more.\n"
          "\nExamples:\n"
          "  touchstone reduce case.py --backend torch:aot_eager -o small.py\n"
          "  touchstone reduce findings/1a2b3c4d.py --jobs 2 --seconds 600\n"
          "  touchstone reduce case.py --without-passes inline-names,values\n"
          "  touchstone reduce case.py --check 'python {} 2>&1 | grep -q \"differs\"' -o small.py\n"
          "  touchstone reduce dumped/graphs_0/backward --backend mine --output small.py\n"
          "  touchstone reduce --list-passes",
      .run = [asked, profile](const options::Given& given) { return reduce(*asked, *profile, given); },
  };
}

} // namespace touchstone::commands
