#include "harness/ProbeCommand.h"

#include "backends/Registry.h"
#include "generators/Draw.h"
#include "generators/InputSpecification.h"
#include "generators/Operators.h"
#include "harness/AtomicFile.h"
#include "harness/Interrupt.h"
#include "harness/ProbeResults.h"
#include "harness/ProfileFlags.h"
#include "harness/ProgressDisplay.h"
#include "harness/Report.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>

namespace touchstone::harness {

using nlohmann::json;

namespace {

/// What a probe costs on one processor core, as measured; compilers that start compilers cost seconds.
double secondsEach(const graph::BackendInfo& info) {
  if (info.family == graph::Family::kNative) {
    return 0.001;
  }
  return info.rules == graph::RuleSet::kInductor ? 2 : 0.25;
}

size_t probesPerBatch(const graph::BackendInfo& info) {
  if (info.family == graph::Family::kNative) {
    return 64;
  }
  return info.rules == graph::RuleSet::kInductor ? 2 : 16;
}

/// What is to be tried; counts in `skipped` what entries of the profile take away.
std::vector<Job::Probe> probesOf(const ProbeOptions& options, std::map<std::string, int64_t>& skipped) {
  std::vector<Job::Probe> probes;
  const generators::Exclusions& exclusions = options.profile.exclusions;
  for (const generators::OperatorInfo& info : generators::operators()) {
    for (const at::ScalarType dtype : generators::argumentDtypes()) {
      if (exclusions.excludes(info.name) || exclusions.excludes(dtype)) {
        ++skipped[exclusions.excludes(info.name) ? exclusions.operators.find(info.name)->second
                                                 : exclusions.dtypes.at(dtype)];
        continue;
      }
      probes.push_back({std::string(info.name), dtypeName(dtype), false});
      const bool differentiable = at::isFloatingType(dtype) || at::isComplexType(dtype);
      if (differentiable && !options.profile.lacks(Profile::Feature::kBackward)) {
        probes.push_back({std::string(info.name), dtypeName(dtype), true});
      }
    }
  }
  return probes;
}

/// The order in which probes are dealt out: dtype by dtype, forward before backward, and of each column the operators in an
/// order that has nothing to do with their families, so that what is done when the time is up is a sample of all.
std::vector<size_t> dealingOrder(const std::vector<Job::Probe>& probes) {
  const auto dtypes = generators::argumentDtypes();
  const auto rank = [&](size_t index) {
    const Job::Probe& probe = probes[index];
    const auto dtype =
        std::find_if(dtypes.begin(), dtypes.end(), [&](at::ScalarType each) { return dtypeName(each) == probe.dtype; });
    return std::tuple(dtype - dtypes.begin(), probe.backward, generators::hashName(probe.operatorName));
  };
  std::vector<size_t> order(probes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) { return rank(left) < rank(right); });
  return order;
}

/// Deals the probes out to the workers and waits; after an interrupt, or when the time is up, what there is. Throws
/// WorkerUnavailable.
std::map<size_t, JobResult> runProbes(const std::vector<Job::Probe>& probes, const ProbeOptions& options,
                                      const Profile& profile) {
  const graph::BackendInfo info = backends::backendInfo(options.backend);
  WorkerPool pool({options.workers, {info.name}, limitsOf(profile, options.limits), "", profile});
  const std::vector<size_t> order = dealingOrder(probes);
  const double begin = wallSeconds();
  size_t next = 0;
  pool.setSource([&](graph::Family) -> std::optional<Batch> {
    const bool timeIsUp = options.seconds.has_value() && wallSeconds() - begin > *options.seconds;
    if (next == probes.size() || timeIsUp) {
      return std::nullopt;
    }
    Batch batch;
    batch.limits = limitsFor({info.name});
    const size_t end = std::min(probes.size(), next + probesPerBatch(info));
    for (; next < end; ++next) {
      Job job;
      job.id = order[next];
      job.probe = probes[order[next]];
      job.backends = {info.name};
      job.wantCase = !options.cases.empty();
      batch.jobs.push_back(std::move(job));
    }
    return batch;
  });
  ProgressDisplay display({options.seconds, probes.size()});
  Tally tally;
  size_t findings = 0;
  std::string activity = "starting the workers";
  pool.setTick([&] { display.update(tally, findings, activity); });
  std::map<size_t, JobResult> results;
  for (std::vector<JobResult> some = pool.wait(); !some.empty(); some = pool.wait()) {
    for (JobResult& each : some) {
      tally.add(each);
      findings += each.backends.empty() || !graph::isFinding(each.backends[0].outcome) ? 0 : 1;
      activity = fmt::format("of {} probes, at {}", probes.size(), probes[each.id].operatorName);
      results[each.id] = std::move(each);
    }
  }
  return results;
}

/// A backend may fail on the small program that workers start with; then each Case pays for its own start.
std::map<size_t, JobResult> runWarmOrCold(const std::vector<Job::Probe>& probes, const ProbeOptions& options,
                                          json& base) {
  try {
    return runProbes(probes, options, options.profile);
  } catch (const WorkerUnavailable& error) {
    const bool isTorch = backends::backendInfo(options.backend).family == graph::Family::kTorch;
    if (!isTorch || !options.profile.warmUp || std::string(error.what()).find(options.backend) == std::string::npos) {
      throw;
    }
    fmt::print(stderr, "{}\nTries again without the small program (`warm_up`: false).\n", error.what());
  }
  json cold = options.profile.text.empty() ? json::object() : json::parse(options.profile.text);
  cold["backend"] = options.backend;
  cold["warm_up"] = false;
  base["warm_up"] = false;
  return runProbes(probes, options, readProfile(cold, "the profile"));
}

void writeCases(const std::vector<ProbeResult>& results, const std::string& folder) {
  for (const ProbeResult& each : results) {
    if (!each.caseText.empty()) {
      const std::string name = fmt::format("{}-{}-{}.py", each.operatorName, each.dtype, each.pass());
      writeFile(std::filesystem::path(folder) / name, each.caseText);
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

ExitStatus statusOf(const std::vector<ProbeResult>& results, const Tally& tally) {
  const auto isJudged = [](const ProbeResult& each) {
    return each.status != ProbeStatus::kNotApplicable && each.status != ProbeStatus::kNotJudged;
  };
  if (interruptRequested()) {
    return ExitStatus::kInterrupted;
  }
  if (tally.unreadable > 0) {
    fmt::print(stderr, "Touchstone itself failed on {} probes; --json has the reasons.\n", tally.unreadable);
    return ExitStatus::kFailed;
  }
  if (std::any_of(results.begin(), results.end(), [](const ProbeResult& each) { return each.isFinding(); })) {
    return ExitStatus::kFindings;
  }
  if (std::none_of(results.begin(), results.end(), isJudged)) {
    fmt::print(stderr, "Nothing was judged: no operator that was asked for has a Case of these dtypes.\n");
    return ExitStatus::kTooLittleJudged;
  }
  return ExitStatus::kNothingNew;
}

} // namespace

ExitStatus probe(const ProbeOptions& options) {
  if (options.backend.empty()) {
    throw WrongUse("Name a backend with --backend, or a profile that has one; `touchstone backends` lists them.");
  }
  const graph::BackendInfo info = backends::backendInfo(options.backend);
  const double begin = wallSeconds();
  Tally tally;
  tally.expect(options.profile);
  const std::vector<Job::Probe> probes = probesOf(options, tally.exclusions);
  const double expected =
      3 + secondsEach(info) * static_cast<double>(probes.size()) / static_cast<double>(options.workers);
  fmt::print(
      stderr, "{} probes of `{}`, each an operator with a dtype, forward or backward: about {:.0f} seconds{}\n",
      probes.size(), info.name, expected,
      options.seconds.value_or(expected) < expected ? fmt::format(", of which {:g} are given", *options.seconds) : "");
  json base = options.proposalBase.empty() ? json::object() : json::parse(options.proposalBase);
  base["backend"] = info.name;
  const std::map<size_t, JobResult> found = runWarmOrCold(probes, options, base);
  std::vector<ProbeResult> results;
  for (const auto& [index, result] : found) {
    results.push_back(probeResultOf(probes[index], result));
    tally.add(result);
  }
  if (results.size() < probes.size() && !interruptRequested()) {
    fmt::print(stderr,
               "The time was up before {} of the probes: the proposal is about the others. The order is the same every "
               "time, so a larger --seconds, or --dtypes and --operators, try the rest.\n",
               probes.size() - results.size());
  }
  json proposed = proposedProfile(results, base, options.excludeWrong);
  if (!options.cases.empty()) {
    writeCases(results, options.cases);
  }
  if (!options.output.empty()) {
    writeFile(options.output, dumpJson(withRelativeFolders(proposed, options.output), 2) + "\n");
  }
  if (options.json) {
    const json object{{"schema", 1},
                      {"torch", torchVersion()},
                      {"backend", info.name},
                      {"probes", probes.size()},
                      {"interrupted", interruptRequested()},
                      {"seconds", wallSeconds() - begin},
                      {"results", probeResultsJson(results)},
                      {"exclusions", tally.exclusions},
                      {"profile", proposed}};
    fmt::print("{}\n", dumpJson(object, 1));
  } else {
    fmt::print("{}{}{}{} of {} probes in {:.1f} seconds\n", probeTable(results, options.all), probeDetails(results),
               exclusionsText(tally), results.size(), probes.size(), wallSeconds() - begin);
    if (options.output.empty()) {
      fmt::print("\nproposed profile (-o FILE writes it):\n{}\n", dumpJson(proposed, 2));
    } else {
      fmt::print("\nproposed profile in {}; to use it: {} fuzz --profile {} --cases 500\n", options.output,
                 programName(), options.output);
    }
  }
  return statusOf(results, tally);
}

} // namespace touchstone::harness
