#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "harness/baseline/KnownFindings.h"
#include "harness/commands/BisectingEnvironment.h"
#include "harness/commands/GraphFolders.h"
#include "harness/commands/ShownLogs.h"
#include "harness/commands/TracedCalls.h"
#include "harness/pool/CaseFiles.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/Expectations.h"
#include "harness/report/JUnit.h"
#include "harness/report/Report.h"
#include "harness/store/FindingStore.h"
#include "harness/worker/KnownCause.h"
#include "harness/worker/Progress.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::commands {

namespace {

/// `touchstone run`: judges case files against their expectations.
struct RunOptions {
  std::vector<std::string> paths; // files, or folders of `*.py`
  std::vector<std::string> backends; // empty: those that the file's expectations name, and `eager`
  int workers = 1;
  bool json = false;
  pool::LimitOptions limits;
  std::string known; // file of known findings; empty: none
  std::string today; // that decides which of them have expired; empty: the clock
  std::string junit; // file; empty: none
  worker::Profile profile = {};
  std::string profileFlags = {}; // that said so, see ProfileFlags::commandLine()
  bool traceCalls = false; // show what the compiled Graphs call
  std::vector<std::string> logs = {}; // see worker::logNames()
  bool rewrite = false; // replace a `__main__` part that is not the generated one
};

constexpr size_t kCasesPerBatch = 8;

/// A file under one backend.
struct Row {
  std::string file, backend, expected;
  worker::BackendResult result;
  bool met = false;
  bool implied = false; // nobody asked for this backend: only a finding counts against it
  std::optional<report::Rung> stage = {}; // of an unexpected finding
  std::optional<TracedCalls> traced = {}; // with --trace-calls
  std::optional<ShownLog> log = {}; // with --log
};

std::vector<std::string> backendsOf(const language::Case& theCase, const RunOptions& options) {
  if (!options.backends.empty()) {
    return options.backends;
  }
  std::vector<std::string> names;
  for (const language::Expectation& each : theCase.expectations) {
    if (std::find(names.begin(), names.end(), each.backend) == names.end()) {
      names.push_back(each.backend);
    }
  }
  if (std::find(names.begin(), names.end(), "eager") == names.end()) {
    names.emplace_back("eager");
  }
  return names;
}

bool isImplied(const language::Case& theCase, const std::string& backend, const RunOptions& options) {
  return options.backends.empty() && std::none_of(theCase.expectations.begin(), theCase.expectations.end(),
                                                  [&](const auto& each) { return each.backend == backend; });
}

std::vector<pool::PoolBatch> makeBatches(const std::vector<pool::CaseFile>& files, const RunOptions& options,
                                         const std::optional<worker::PassLimit>& passLimit) {
  std::vector<pool::PoolBatch> batches;
  for (ir::Family family : {ir::Family::kNative, ir::Family::kTorch}) {
    size_t room = 0;
    for (size_t i = 0; i < files.size(); ++i) {
      const auto families = pool::byFamily(backendsOf(files[i].content, options));
      const auto found = families.find(family);
      if (found == families.end()) {
        continue;
      }
      if (room-- == 0) {
        batches.push_back({family, {}});
        room = kCasesPerBatch - 1;
      }
      worker::Job job;
      job.id = i;
      job.source = worker::PrintedCase{standalone::printCase(files[i].content)};
      job.backends = found->second;
      job.task = worker::JudgeTask{.passLimit = passLimit};
      const worker::JobLimits limits = pool::limitsFor(job.backends);
      worker::JobLimits& batchLimits = batches.back().batch.limits;
      batchLimits = limits.backendSeconds > batchLimits.backendSeconds ? limits : batchLimits;
      batches.back().batch.jobs.push_back(std::move(job));
    }
  }
  return batches;
}

/// True for what the file of known findings has, and the Case's expectations do not: the result says which entry.
bool excuseKnownFinding(const language::Case& theCase, const baseline::KnownFindings& known,
                        worker::BackendResult& result) {
  if (!language::isFinding(result.outcome) ||
      report::isAnyMet(report::expectationsFor(theCase, result.backend), result)) {
    return false;
  }
  const baseline::KnownEntry* entry = known.find(theCase, worker::symptomOf(result));
  if (entry != nullptr) {
    result.outcome = entry->pattern.has_value() ? language::Outcome::kSuppressed : language::Outcome::kKnown;
    result.detail = entry->id;
  }
  return entry != nullptr;
}

std::vector<Row> judgeRows(const std::vector<pool::CaseFile>& files, std::vector<worker::JobResult> results,
                           const RunOptions& options, const baseline::KnownFindings& known, report::Tally& tally) {
  std::vector<worker::JobResult> merged(files.size());
  for (worker::JobResult& result : results) {
    report::mergeResults(merged[result.id], std::move(result));
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < files.size(); ++i) {
    if (merged[i].backends.empty() && merged[i].error.empty()) {
      continue; // an interrupt came first
    }
    std::set<std::string> excused; // backends
    for (worker::BackendResult& each : merged[i].backends) {
      if (excuseKnownFinding(files[i].content, known, each)) {
        excused.insert(each.backend);
      }
    }
    tally.add(merged[i]);
    if (!merged[i].error.empty()) {
      worker::BackendResult result;
      result.message = merged[i].error;
      result.text = "not judged";
      fmt::print(stderr, "{} could not be judged: {}\n", files[i].path, merged[i].error);
      rows.push_back({files[i].path, "", "", result, false, false});
    }
    for (const std::string& name : backendsOf(files[i].content, options)) {
      const worker::BackendResult* found = merged[i].under(name);
      if (found == nullptr) {
        continue;
      }
      const auto alternatives = report::expectationsFor(files[i].content, name);
      Row row{files[i].path,
              name,
              report::describeExpectations(alternatives),
              *found,
              report::isAnyMet(alternatives, *found),
              isImplied(files[i].content, name, options)};
      row.met = row.met || (row.implied && !language::isFinding(found->outcome)) || excused.contains(name);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// Climbs the ladder of what differs unexpectedly; once for files that come down to the same.
void findStages(std::vector<Row>& rows, const std::vector<pool::CaseFile>& files, pool::WorkerPool& pool) {
  std::map<std::string, std::optional<report::Rung>> stages; // by cluster
  for (Row& row : rows) {
    if (row.met || !language::isFinding(row.result.outcome)) {
      continue;
    }
    const auto file =
        std::find_if(files.begin(), files.end(), [&](const pool::CaseFile& each) { return each.path == row.file; });
    const std::string cluster = store::clusterId(worker::symptomOf(row.result), analysis::signatureOf(file->content));
    if (stages.count(cluster) == 0) {
      const ir::Family family = backends::backendInfo(row.backend).family;
      stages[cluster] = triage::stageOf(standalone::printCase(file->content), row.result, pool::runnerOf(pool, family));
    }
    row.stage = stages[cluster];
  }
}

/// What --trace-calls and --log ask for.
void makeCallsAgain(std::vector<Row>& rows, const std::vector<pool::CaseFile>& files, const RunOptions& options,
                    pool::WorkerPool& pool) {
  for (Row& row : rows) {
    if (row.backend.empty()) { // it could not be judged
      continue;
    }
    const auto file =
        std::find_if(files.begin(), files.end(), [&](const pool::CaseFile& each) { return each.path == row.file; });
    if (options.traceCalls) {
      row.traced = traceCalls(*file, row.backend, pool);
    }
    if (!options.logs.empty()) {
      row.log = logOf(*file, row.backend, options.logs, pool);
    }
  }
}

std::string shownOutcome(const worker::BackendResult& result) {
  switch (result.outcome) {
    case language::Outcome::kUpstream: return fmt::format("{} (Upstream of {})", result.text, result.origin);
    case language::Outcome::kSuppressed: return fmt::format("{} (Suppressed: {})", result.text, result.detail);
    case language::Outcome::kKnown:
      return fmt::format("{} (Known: {}{})", result.text, result.detail, worker::whereDefectsAre(result.detail));
    default: return result.text;
  }
}

void printTable(const std::vector<Row>& rows) {
  size_t fileWidth = 0, backendWidth = 0;
  for (const Row& row : rows) {
    fileWidth = std::max(fileWidth, row.file.size());
    backendWidth = std::max(backendWidth, row.backend.size());
  }
  for (const Row& row : rows) {
    const bool isLeft = row.met && row.result.outcome == language::Outcome::kUnsupported;
    fmt::print("{} {:{}}  {:{}}  {}{}\n", row.met ? "ok  " : "FAIL", row.file, fileWidth, row.backend, backendWidth,
               shownOutcome(row.result), isLeft ? ": " + row.result.message : "");
    if (!row.met) {
      if (!row.expected.empty()) {
        fmt::print("     expected {}\n", row.expected);
      }
      fmt::print("     {}\n", row.result.message);
    }
    if (row.stage) {
      fmt::print("     stage: {}\n", report::stageText(row.stage));
    }
    for (const std::string& warning : row.result.warnings) {
      fmt::print("     warning: {}\n", warning);
    }
    if (row.traced) {
      fmt::print("{}", tracedText(*row.traced, 5));
    }
    if (row.log) {
      fmt::print("{}", logText(*row.log, 5));
    }
  }
}

void printJson(const std::vector<Row>& rows, const report::Report& report) {
  nlohmann::json object = report::reportJson(report);
  object.erase("validity"); // of campaigns
  nlohmann::json results = nlohmann::json::array();
  for (const Row& row : rows) {
    results.push_back({{"file", row.file},
                       {"backend", row.backend},
                       {"expected", row.expected},
                       {"outcome", row.result.text},
                       {"origin", row.result.origin},
                       {"met", row.met},
                       {"calls", row.result.counters.calls},
                       {"calls_judged", row.result.counters.judged},
                       {"message", row.result.message},
                       {"warnings", row.result.warnings}});
    if (row.result.outcome == language::Outcome::kKnown) {
      results.back()["known"] = {{"name", row.result.detail}, {"files", worker::filesOfDefects(row.result.detail)}};
    }
    for (const auto& [pass, count] : row.result.passes) {
      results.back()["passes"].push_back({{"pass", pass}, {"applications", count}});
    }
    if (!row.result.passes.empty()) {
      results.back()["last_applied"] = row.result.lastApplied;
    }
    if (!row.result.bites.empty()) {
      results.back()["bites"] = row.result.bites;
    }
    if (row.traced) {
      results.back()["traced"] = tracedJson(*row.traced);
    }
    if (row.log) {
      results.back()["log"] = logJson(*row.log);
    }
  }
  object["results"] = std::move(results);
  report::printJson(object);
}

/// The unmet expectations as findings, for `--json`.
std::vector<report::Finding> findingsOf(const std::vector<Row>& rows, const std::string& profileFlags) {
  std::vector<report::Finding> findings;
  for (const Row& row : rows) {
    if (!row.met && !row.result.backend.empty()) { // else Touchstone failed
      report::Finding& finding = findings.emplace_back();
      finding.id = row.file + ":" + row.backend;
      finding.symptom = worker::symptomOf(row.result);
      finding.result = row.result;
      finding.stage = row.stage;
      finding.file = row.file;
      finding.profileFlags = profileFlags;
    }
  }
  return findings;
}

/// A profile that nobody named changes nothing in which backends judge, and is about one of them.
RunOptions withProfile(RunOptions options, const pool::ProfileFlags& given) {
  const bool namesBackends = !options.backends.empty();
  const pool::ProfileFlags flags = given.orStoredBeside(options.paths, options.backends);
  options.profile = flags.read(options.backends, namesBackends);
  if (flags.file != given.file && !namesBackends) {
    options.backends.clear();
  }
  options.profileFlags = flags.commandLine();
  return options;
}

base::ExitStatus runCases(const RunOptions& options) {
  if (const auto folders = graphFoldersAmong(options.paths); !folders.empty()) {
    if (!options.logs.empty()) {
      throw base::WrongUse("--log is about backwards of Cases; a folder of Graphs has none.");
    }
    if (options.traceCalls) {
      throw base::WrongUse(
          "--trace-calls traces Cases; a folder of Graphs holds its calls in `forward/graph.py` and "
          "`backward/graph.py`.");
    }
    return runGraphFolders(folders, options.workers, options.limits, options.json);
  }
  const double begin = worker::wallSeconds();
  pool::byFamily(options.backends); // unknown names are told before anything is read
  base::tryToWriteFile(options.junit);
  const baseline::KnownFindings known = baseline::givenKnownFindings(options.known, options.today);
  std::vector<std::string> errors;
  const std::vector<std::string> paths = pool::findCaseFiles(options.paths);
  const std::vector<pool::CaseFile> files = pool::readCaseFiles(
      paths, options.rewrite ? pool::OtherMainPart::kRewrite : pool::OtherMainPart::kRefuse, errors);
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}\n", error);
  }
  pool::PoolOptions pool{options.workers, {}, pool::limitsOf(options.profile, options.limits), "", options.profile};
  std::set<std::string> names;
  for (const pool::CaseFile& file : files) {
    pool.prepareFor(file.content);
    for (const std::string& name : backendsOf(file.content, options)) {
      if (names.insert(name).second) {
        pool.backends.push_back(name);
      }
    }
  }
  const std::optional<worker::PassLimit> passLimit =
      files.empty() ? std::nullopt : passLimitOfEnvironment(pool.backends);
  if (options.traceCalls) {
    checkTraceable(pool.backends);
  }
  if (!options.logs.empty()) {
    checkLoggable(pool.backends);
  }
  report::Report report;
  std::vector<Row> rows;
  if (!files.empty()) {
    pool::WorkerPool workers(pool);
    rows = judgeRows(files, workers.runUntilInterrupted(makeBatches(files, options, passLimit)), options, known,
                     report.tally);
    try {
      findStages(rows, files, workers);
      makeCallsAgain(rows, files, options, workers);
    } catch (const base::Interrupted&) { // told without them
    }
    report.interrupted = base::interruptRequested();
  }
  report.seconds = worker::wallSeconds() - begin;
  report.tally.expect(options.profile);
  for (const baseline::KnownEntry& entry : known.expired()) {
    report.expired.emplace_back(entry.id, entry.expires);
    fmt::print(stderr, "EXPIRED: the known entry `{}` excused it until {}.\n", entry.id, entry.expires);
  }
  report.findings = findingsOf(rows, options.profileFlags);
  if (options.json) {
    printJson(rows, report);
  } else {
    printTable(rows);
    const auto failed = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.met; });
    fmt::print("{} files, {} judgements, {} not as expected, {} calls judged, {:.1f} seconds\n", files.size(),
               rows.size(), failed, report.tally.callsJudged(), report.seconds);
    fmt::print("{}", report::exclusionsText(report.tally));
  }
  if (!options.junit.empty()) {
    std::vector<report::JUnitCase> cases;
    for (const Row& row : rows) {
      cases.push_back({row.file, row.backend,
                       row.met ? "" : "expected " + row.expected + ", got " + shownOutcome(row.result),
                       row.result.message});
    }
    base::writeFile(options.junit, report::junitText("touchstone run", cases));
  }
  if (report.interrupted) {
    fmt::print(stderr, "Interrupted: {} of {} files were judged.\n", report.tally.cases, files.size());
    return base::ExitStatus::kInterrupted;
  }
  if (!errors.empty()) {
    return base::ExitStatus::kWrongUse;
  }
  if (!report.findings.empty()) {
    return base::ExitStatus::kFindings;
  }
  if (report.tally.unreadable > 0) {
    return base::ExitStatus::kFailed;
  }
  if (rows.empty()) {
    fmt::print(stderr, "Nothing was judged: there is no `*.py` file in what was given.\n");
    return base::ExitStatus::kTooLittleJudged;
  }
  return base::ExitStatus::kNothingNew;
}

} // namespace

options::Command runCommand() {
  const auto asked = std::make_shared<RunOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options =
          {{"cases", &asked->paths, "Case files, or folders of them; or folders of Graphs of `dump --graphs`",
            options::required()},
           options::backends(asked->backends,
                             "Separated by commas; by default the profile's, without one those "
                             "that each file expects something of, and `eager`"),
           options::jobs(asked->workers, options::kJobs, false),
           pool::limitOptions(asked->limits),
           pool::profileOptions(*profile, pool::ProfileScope::kJudging),
           {"--known", &asked->known, "File of known findings (docs/known.md): these are as expected"},
           baseline::todayOption(asked->today),
           {"--junit", &asked->junit, "File for a JUnit report"},
           {"--trace-calls", &asked->traceCalls,
            "Make the calls once more, and print what the compiled graphs call: operators with dtypes and shapes, by call of "
            "the Case (native backends; docs/modes.md)"},
           logOption(asked->logs),
           {"--rewrite", &asked->rewrite, "Replace a `__main__` part that is not the generated one"},
           options::jsonFlag(asked->json)},
      .footer =
          "A line `# expect: torch:aot_eager Differs/values` in a file says what is known; without a line for a backend\n"
          "it is expected to agree. So a folder of known failures can sit in CI.\n"
          "A folder that `touchstone dump --graphs` made is run again, Graph by Graph: where the values of its run were kept, it\n"
          "has to give the same (exit status 1); else it runs on inputs like those that it was compiled for. Findings are judged\n"
          "with the profile that `touchstone fuzz` put beside them, where it names no code and --profile no other.",
      .run = [asked, profile](const options::Given&) { return runCases(withProfile(*asked, *profile)); },
  };
}

} // namespace touchstone::commands
