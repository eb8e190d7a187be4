#include "harness/commands/Commands.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/InputSpecification.h"
#include "harness/commands/ProbeGroups.h"
#include "harness/commands/ProbeResults.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/pool/WorkerPool.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/report/Report.h"
#include "harness/worker/Progress.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

namespace touchstone::commands {

using nlohmann::json;

namespace {

/// `touchstone probe`: what a backend takes of the catalogue, one operator and dtype at a time.
struct ProbeOptions {
  std::string backend;
  worker::Profile profile; // what it excludes is not tried
  std::string proposalBase; // the profile without what only narrows this run, as JSON; empty: none
  bool all = false; // show operators that are supported everywhere, too
  bool excludeWrong = false;
  std::string output; // file for the proposed profile; empty: none
  std::string cases; // folder for Cases that are not supported; empty: none
  bool oneByOne = false; // no probes share a Case
  int workers = 1;
  std::optional<double> seconds; // what has not begun by then is not tried; none: everything is
  pool::LimitOptions limits;
  bool json = false;
};

/// How many probes share a Case, as measured: where each Case starts a tracer of Python's, and maybe a C++ compiler, one with
/// many statements costs a few times what one with a single operator does.
size_t probesPerGroup(const ProbeOptions& options, const ir::BackendInfo& info) {
  return info.family == ir::Family::kNative || options.oneByOne ? 1 : 16;
}

/// What a probe costs on one processor core, as measured; compilers that start compilers cost seconds.
double secondsEach(const ProbeOptions& options, const ir::BackendInfo& info) {
  if (info.family == ir::Family::kNative) {
    return 0.001;
  }
  const double alone = info.rules == ir::RuleSet::kInductor ? 1.5 : 0.25;
  return probesPerGroup(options, info) > 1 ? alone / 2 : alone;
}

size_t probesPerBatch(const ir::BackendInfo& info) {
  if (info.family == ir::Family::kNative) {
    return 64;
  }
  return info.rules == ir::RuleSet::kInductor ? 2 : 16;
}

/// What is to be tried; counts in `skipped` what entries of the profile take away.
std::vector<worker::Probe> probesOf(const ProbeOptions& options, std::map<std::string, int64_t>& skipped) {
  std::vector<worker::Probe> probes;
  const catalogue::Exclusions& exclusions = options.profile.exclusions;
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    for (const at::ScalarType dtype : decoder::argumentDtypes()) {
      if (exclusions.excludes(info.name) || exclusions.excludes(dtype)) {
        ++skipped[exclusions.excludes(info.name) ? exclusions.operators.find(info.name)->second
                                                 : exclusions.dtypes.at(dtype)];
        continue;
      }
      probes.push_back({std::string(info.name), worker::dtypeName(dtype), false});
      const bool differentiable = at::isFloatingType(dtype) || at::isComplexType(dtype);
      if (differentiable && !options.profile.lacks(worker::Profile::Feature::kBackward)) {
        probes.push_back({std::string(info.name), worker::dtypeName(dtype), true});
      }
    }
  }
  return probes;
}

/// The order in which probes are dealt out: dtype by dtype, forward before backward, and of each column the operators in an
/// order that has nothing to do with their families, so that what is done when the time is up is a sample of all.
std::vector<size_t> dealingOrder(const std::vector<worker::Probe>& probes) {
  const auto dtypes = decoder::argumentDtypes();
  const auto rank = [&](size_t index) {
    const worker::Probe& probe = probes[index];
    const auto dtype = std::find_if(dtypes.begin(), dtypes.end(),
                                    [&](at::ScalarType each) { return worker::dtypeName(each) == probe.dtype; });
    return std::tuple(dtype - dtypes.begin(), probe.backward, catalogue::hashName(probe.operatorName));
  };
  std::vector<size_t> order(probes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) { return rank(left) < rank(right); });
  return order;
}

/// What is known when the workers are done.
struct Probing {
  std::map<size_t, ProbeResult> results; // by index of the probe
  report::Tally tally; // of probes, whatever Case they were in
  uint64_t cases = 0; // that were tried, groups included
};

/// Tells what a trial of a group or of a probe alone came to.
void settle(const ProbeGroups::Trial& trial, worker::JobResult result, const std::vector<worker::Probe>& probes,
            ProbeGroups& groups, Probing& probing) {
  ++probing.cases;
  const ProbeGroups::Decided decided = groups.take(trial.id, GroupAnswer::of(result));
  const auto put = [&](size_t probe, const worker::JobResult& of) {
    probing.results[probe] = probeResultOf(probes[probe], of);
    probing.tally.add(of);
  };
  if (trial.members.size() == 1) {
    put(trial.members.front(), result);
    return;
  }
  worker::JobResult nothing; // as of a probe alone that eager has no Case for
  nothing.making.notApplicable = true;
  for (const size_t each : decided.notApplicable) {
    put(each, nothing);
  }
  for (const size_t each : decided.supported) {
    put(each, result);
  }
}

/// Deals the probes out to the workers and waits; after an interrupt, or when the time is up, what there is. Throws
/// WorkerUnavailable.
Probing runProbes(const std::vector<worker::Probe>& probes, const ProbeOptions& options, const worker::Profile& profile,
                  const report::Tally& tally) {
  const ir::BackendInfo info = backends::backendInfo(options.backend);
  pool::WorkerPool pool({options.workers, {info.name}, pool::limitsOf(profile, options.limits), "", profile});
  ProbeGroups groups(probes, dealingOrder(probes), probesPerGroup(options, info));
  std::map<uint64_t, ProbeGroups::Trial> underWay;
  const double begin = worker::wallSeconds();
  pool.setSource([&](ir::Family) -> std::optional<worker::Batch> {
    const bool timeIsUp = options.seconds.has_value() && worker::wallSeconds() - begin > *options.seconds;
    worker::Batch batch;
    batch.limits = pool::limitsFor({info.name});
    size_t members = 0;
    while (members < probesPerBatch(info)) {
      const std::optional<ProbeGroups::Trial> trial = groups.next(!timeIsUp);
      if (!trial.has_value()) {
        break;
      }
      worker::Job job;
      job.id = trial->id;
      const bool alone = trial->members.size() == 1;
      worker::ProbedCase& source = job.source.emplace<worker::ProbedCase>();
      for (const size_t each : trial->members) {
        source.probes.push_back(probes[each]);
      }
      job.backends = {info.name};
      job.wantCase = alone && !options.cases.empty();
      job.task = worker::JudgeTask{.blame = alone};
      batch.jobs.push_back(std::move(job));
      members += trial->members.size();
      underWay[trial->id] = *trial;
    }
    return batch.jobs.empty() ? std::nullopt : std::optional(std::move(batch));
  });
  Probing probing{.results = {}, .tally = tally};
  report::ProgressDisplay display({options.seconds, probes.size()});
  size_t findings = 0;
  std::string activity = "starting the workers";
  pool.setTick([&] { display.update(probing.tally, findings, activity); });
  for (std::vector<worker::JobResult> some = pool.wait(); !some.empty(); some = pool.wait()) {
    for (worker::JobResult& each : some) {
      const auto trial = underWay.extract(each.id);
      settle(trial.mapped(), std::move(each), probes, groups, probing);
      const size_t last = trial.mapped().members.back();
      const auto known = probing.results.find(last);
      findings += trial.mapped().members.size() == 1 && known->second.isFinding() ? 1 : 0;
      activity = fmt::format("of {} probes, at {}", probes.size(), probes[last].operatorName);
    }
  }
  return probing;
}

/// A backend may fail on the small program that workers start with; then each Case pays for its own start.
Probing runWarmOrCold(const std::vector<worker::Probe>& probes, const ProbeOptions& options, const report::Tally& tally,
                      json& base) {
  try {
    return runProbes(probes, options, options.profile, tally);
  } catch (const pool::WorkerUnavailable& error) {
    const bool isTorch = backends::backendInfo(options.backend).family == ir::Family::kTorch;
    const std::string why = error.what();
    const auto says = [&](const char* text) { return why.find(text) != std::string::npos; };
    // Only the texts of Python's exceptions come back from the worker.
    const bool isThere =
        !says(": ModuleNotFoundError: ") && !says(": ImportError: ") && !says("AttributeError: module ");
    if (!isTorch || !isThere || !options.profile.warmUp || !says(options.backend.c_str())) {
      throw;
    }
    fmt::print(stderr, "{}\nTries again without the small program (`warm_up`: false).\n", error.what());
  }
  json cold = options.profile.text.empty() ? json::object() : json::parse(options.profile.text);
  cold["backend"] = options.backend;
  cold["warm_up"] = false;
  base["warm_up"] = false;
  return runProbes(probes, options, worker::readProfile(cold, "the profile"), tally);
}

/// The Case with what is known of it, so that `touchstone run` and plain Python look for that.
std::string withExpectation(const ProbeResult& result, const ProbeOptions& options) {
  language::Case theCase = parser::parsePrinted(result.caseText);
  findings::FindingHeaders headers = findings::headersOf(theCase);
  headers.symptom.backend = options.backend;
  findings::label(theCase, headers, {language::parseExpectation(options.backend + " " + result.outcome)},
                  options.profile);
  return standalone::printCase(theCase);
}

void writeCases(const std::vector<ProbeResult>& results, const ProbeOptions& options) {
  for (const ProbeResult& each : results) {
    if (!each.caseText.empty()) {
      const std::string name = fmt::format("{}-{}-{}.py", each.operatorName, each.dtype, each.pass());
      base::writeFile(std::filesystem::path(options.cases) / name, withExpectation(each, options));
    }
  }
}

/// Folders as seen from the file's own, so that both can be moved together.
json withRelativeFolders(json profile, const std::string& file) {
  const auto found = profile.find("python_path");
  if (found != profile.end()) {
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    for (json& each : *found) {
      each = std::filesystem::path(each.get<std::string>()).lexically_proximate(folder).string();
    }
  }
  return profile;
}

base::ExitStatus statusOf(const std::vector<ProbeResult>& results, const report::Tally& tally) {
  const auto isJudged = [](const ProbeResult& each) {
    return each.status != ProbeStatus::kNotApplicable && each.status != ProbeStatus::kNotJudged;
  };
  if (base::interruptRequested()) {
    return base::ExitStatus::kInterrupted;
  }
  if (tally.unreadable > 0) {
    fmt::print(stderr, "Touchstone itself failed on {} probes; --json has the reasons.\n", tally.unreadable);
    return base::ExitStatus::kFailed;
  }
  if (std::any_of(results.begin(), results.end(), [](const ProbeResult& each) { return each.isFinding(); })) {
    return base::ExitStatus::kFindings;
  }
  if (std::none_of(results.begin(), results.end(), isJudged)) {
    fmt::print(stderr, "Nothing was judged: no operator that was asked for has a Case of these dtypes.\n");
    return base::ExitStatus::kTooLittleJudged;
  }
  return base::ExitStatus::kNothingNew;
}

base::ExitStatus probe(const ProbeOptions& options) {
  if (options.backend.empty()) {
    throw base::WrongUse("Name a backend with --backend, or a profile that has one; `touchstone backends` lists them.");
  }
  const ir::BackendInfo info = backends::backendInfo(options.backend);
  base::tryToWriteFile(options.output);
  base::tryToWriteInto(options.cases);
  const double begin = worker::wallSeconds();
  report::Tally nothingTried;
  nothingTried.expect(options.profile);
  const std::vector<worker::Probe> probes = probesOf(options, nothingTried.exclusions);
  const double expected =
      3 + secondsEach(options, info) * static_cast<double>(probes.size()) / static_cast<double>(options.workers);
  fmt::print(
      stderr, "{} probes of `{}`, each an operator with a dtype, forward or backward: about {:.0f} seconds{}\n",
      probes.size(), info.name, expected,
      options.seconds.value_or(expected) < expected ? fmt::format(", of which {:g} are given", *options.seconds) : "");
  json base = options.proposalBase.empty() ? json::object() : json::parse(options.proposalBase);
  base["backend"] = info.name;
  Probing probing = runWarmOrCold(probes, options, nothingTried, base);
  const report::Tally& tally = probing.tally;
  std::vector<ProbeResult> results;
  for (auto& [index, result] : probing.results) {
    results.push_back(std::move(result));
  }
  if (results.size() < probes.size()) {
    fmt::print(stderr,
               "{} before {} of the probes: the proposal is about the others. The order is the same every "
               "time, so a larger --seconds, or --dtypes and --operators, try the rest.\n",
               base::interruptRequested() ? "Interrupted" : "The time was up", probes.size() - results.size());
  }
  json proposed = proposedProfile(results, base, options.excludeWrong);
  if (!options.cases.empty()) {
    writeCases(results, options);
  }
  if (!options.output.empty()) {
    base::writeFile(options.output, report::dumpJson(withRelativeFolders(proposed, options.output), 2) + "\n");
  }
  if (options.json) {
    const json object{{"schema", 1},
                      {"torch", report::torchVersion()},
                      {"backend", info.name},
                      {"probes", probes.size()},
                      {"cases", probing.cases},
                      {"interrupted", base::interruptRequested()},
                      {"seconds", worker::wallSeconds() - begin},
                      {"results", probeResultsJson(results)},
                      {"exclusions", tally.exclusions},
                      {"profile", proposed}};
    report::printJson(object);
  } else {
    fmt::print("{}{}{}{} of {} probes in {} Cases and {:.1f} seconds\n", probeTable(results, options.all),
               probeDetails(results), report::exclusionsText(tally), results.size(), probes.size(), probing.cases,
               worker::wallSeconds() - begin);
    if (options.output.empty()) {
      fmt::print("\nproposed profile (-o FILE writes it):\n{}\n", report::dumpJson(proposed, 2));
    } else {
      fmt::print("\nproposed profile in {}; to use it: {} fuzz --profile {} --cases 500\n", options.output,
                 report::programName(), options.output);
    }
  }
  return statusOf(results, tally);
}

} // namespace

options::Command probeCommand() {
  const auto asked = std::make_shared<ProbeOptions>();
  const auto profile = std::make_shared<pool::ProfileFlags>();
  return {
      .options =
          {{"--backend,-b", &asked->backend, "The backend; by default the profile's"},
           {"--all", &asked->all, "Show operators that are supported everywhere, too"},
           {"--exclude-wrong", &asked->excludeWrong, "Propose to exclude operators with wrong results, too"},
           {"--output,-o", &asked->output, "File for the proposed profile"},
           {"--seconds", &asked->seconds,
            "Begin no probe after so many seconds, but end what was begun; the dtypes come one after the other, each "
            "with its operators in an order of no meaning, so that what is tried is a sample",
            options::aboveZero()},
           {"--one-by-one", &asked->oneByOne,
            "Try each operator in a Case of its own from the start; without it, several share one where compiling is "
            "dear, and are taken apart when it is not as eager's"},
           {"--write-cases", &asked->cases, "Folder for the Cases that are not supported, one file each"},
           options::jobs(asked->workers, "Worker processes"),
           pool::limitOptions(asked->limits),
           pool::profileOptions(*profile, pool::ProfileScope::kEverything),
           options::jsonFlag(asked->json)},
      .footer =
          "A Case holds one operator of `touchstone ops`, in each of its spellings, on clones of its arguments, and is judged\n"
          "as any other Case. --operators, --exclude-operators, --dtypes and --exclude-dtypes restrict what is tried.\n"
          "Exit status: 1 when results are wrong, or the backend crashes, hangs or dies of an assertion of its own; 4 when\n"
          "nothing could be judged.\n"
          "\nExamples:\n"
          "  touchstone probe --backend torch:inductor --operators 'sin,mm,cat' --dtypes float32,bfloat16\n"
          "  touchstone probe --backend torch:inductor --seconds 3600 -o proposed.json\n"
          "  touchstone probe --profile mine.json -o proposed.json\n"
          "  touchstone fuzz --profile proposed.json --cases 500 --require-valid",
      .run =
          [asked, profile](const options::Given& given) {
            std::vector<std::string> names;
            if (given.contains("--backend")) {
              names.push_back(asked->backend);
            }
            asked->proposalBase = profile->withoutGeneratingFlags().read(names).text;
            asked->profile = profile->read(names);
            asked->backend = names.empty() ? asked->backend : names[0];
            return probe(*asked);
          },
  };
}

} // namespace touchstone::commands
