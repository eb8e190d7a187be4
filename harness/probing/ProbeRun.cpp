#include "harness/probing/ProbeRun.h"

#include "backends/Registry.h"
#include "generators/catalogue/Draw.h"
#include "generators/catalogue/Operators.h"
#include "generators/decoder/InputSpecification.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/probing/ProbeGroups.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <tuple>
#include <utility>

namespace touchstone::probing {

namespace {

/// How many probes share a Case, as measured: where each Case starts a tracer of Python's, and maybe a C++ compiler, one with
/// many statements costs a few times what one with a single operator does.
size_t probesPerGroup(const ProbeRunOptions& options, const ir::BackendInfo& info) {
  return info.family == ir::Family::kNative || options.oneByOne ? 1 : 16;
}

/// What a probe costs on one processor core, as measured; compilers that start compilers cost seconds.
double secondsEach(const ProbeRunOptions& options, const ir::BackendInfo& info) {
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

/// Tells what a trial of a group or of a probe alone came to.
void settle(const ProbeGroups::Trial& trial, worker::JobResult result, const std::vector<worker::Probe>& probes,
            ProbeGroups& groups, ProbeRun& probing) {
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
ProbeRun runWith(const std::vector<worker::Probe>& probes, const ProbeRunOptions& options,
                 const worker::Profile& profile, const report::Tally& tally) {
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
      job.wantCase = alone && options.wantCases;
      job.task = worker::JudgeTask{.blame = alone};
      batch.jobs.push_back(std::move(job));
      members += trial->members.size();
      underWay[trial->id] = *trial;
    }
    return batch.jobs.empty() ? std::nullopt : std::optional(std::move(batch));
  });
  ProbeRun probing{.results = {}, .tally = tally};
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
  probing.startTroubles = pool.startTroubles();
  return probing;
}

} // namespace

std::vector<worker::Probe> probesOf(const worker::Profile& profile, std::map<std::string, int64_t>& skipped) {
  std::vector<worker::Probe> probes;
  const catalogue::Exclusions& exclusions = profile.exclusions;
  for (const catalogue::OperatorInfo& info : catalogue::operators()) {
    for (const at::ScalarType dtype : decoder::argumentDtypes()) {
      if (exclusions.excludes(info.name) || exclusions.excludes(dtype)) {
        ++skipped[exclusions.excludes(info.name) ? exclusions.operators.find(info.name)->second
                                                 : exclusions.dtypes.at(dtype)];
        continue;
      }
      probes.push_back({std::string(info.name), worker::dtypeName(dtype), false});
      const bool differentiable = at::isFloatingType(dtype) || at::isComplexType(dtype);
      if (differentiable && !profile.lacks(worker::Profile::Feature::kBackward)) {
        probes.push_back({std::string(info.name), worker::dtypeName(dtype), true});
      }
    }
  }
  return probes;
}

double expectedSeconds(const ProbeRunOptions& options, size_t probes) {
  constexpr double kStarting = 3;
  return kStarting + secondsEach(options, backends::backendInfo(options.backend)) * static_cast<double>(probes) /
                         static_cast<double>(options.workers);
}

// A backend may fail on the small program that workers start with; then each Case pays for its own start.
ProbeRun runProbes(const std::vector<worker::Probe>& probes, const ProbeRunOptions& options,
                   const report::Tally& tally) {
  try {
    return runWith(probes, options, options.profile, tally);
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
  nlohmann::json cold =
      options.profile.text.empty() ? nlohmann::json::object() : nlohmann::json::parse(options.profile.text);
  cold["backend"] = options.backend;
  cold["warm_up"] = false;
  ProbeRun run = runWith(probes, options, worker::readProfile(cold, "the profile"), tally);
  run.isCold = true;
  return run;
}

} // namespace touchstone::probing
