#include "harness/conformance/Evidence.h"

#include "base/Interrupt.h"
#include "graph/ir/Delegation.h"
#include "harness/campaign/Campaign.h"
#include "harness/campaign/StoredProfile.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/probing/ProbeRun.h"
#include "harness/worker/Progress.h"
#include "program/analysis/ProgramSignature.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace touchstone::conformance {

namespace {

using language::Outcome;
using nlohmann::json;

constexpr double kShareOfProbes = 0.3, kShareOfCauses = 0.15; // of the time
constexpr double kLeastForCauses = 20, kLeastOfCampaign = 5;
constexpr double kMostExcludedShare = 0.25; // of the operators: where more are wrong, it is not the operators
constexpr int kSameCalls = 4; // calls of a Case that differ in values alone: more Programs in less time

/// The results that stand for further properties which differ beside the first, so that one which nearly every Case shows hides no other.
std::vector<worker::BackendResult> differencesBeside(const worker::BackendResult& result) {
  std::vector<worker::BackendResult> all;
  if (result.outcome == Outcome::kDiffers) {
    for (size_t i = 1; i < result.shows.size(); ++i) {
      if (!result.shows[i].starts_with("Differs/")) { // of another call, which raises
        continue;
      }
      worker::BackendResult& beside = all.emplace_back(result);
      beside.shows = {result.shows[i]};
      beside.call = result.shownIn.at(i);
      beside.symptom = result.shows[i];
      beside.message = fmt::format("{} beside {}", result.shows[i], result.shows[0]);
    }
  }
  return all;
}

class Collector {
 public:
  Collector(const ConformOptions& options, const TimeBudget& time)
      : options_(options),
        time_(time),
        findings_(options.folder / "findings" / findings::asFileName(store::timeNow())) {}

  Evidence collect() {
    probe();
    holdLevels();
    return std::move(evidence_);
  }

 private:
  bool isAsked(Level level) const { return options_.asks(level); }

  void say(const std::string& line) const { fmt::print(stderr, "{}\n", line); }

  /// Each operator with each dtype, forward and backward.
  void probe() {
    const probing::ProbeRunOptions asked{.backend = options_.backend,
                                         .profile = options_.profile,
                                         .wantCases = true,
                                         .workers = options_.workers,
                                         .seconds = time_.forProbes(),
                                         .limits = options_.limits};
    report::Tally tally;
    tally.expect(options_.profile);
    std::vector<worker::Probe> probes = probing::probesOf(options_.profile, tally.exclusions);
    if (!isAsked(Level::kGradients)) {
      std::erase_if(probes, [](const worker::Probe& each) { return each.backward; });
    }
    say(fmt::format(
        "probes: {}, each an operator with a dtype, forward or backward; about {:.0f} seconds, of which {:.0f} are given",
        probes.size(), probing::expectedSeconds(asked, probes.size()), *asked.seconds));
    probing::ProbeRun run = probing::runProbes(probes, asked, tally);
    evidence_.profile = options_.profile.text.empty() ? json::object() : json::parse(options_.profile.text);
    evidence_.profile["backend"] = options_.backend;
    if (run.isCold) {
      evidence_.profile["warm_up"] = false;
    }
    evidence_.troubles = run.startTroubles;
    evidence_.probesLeft = static_cast<int64_t>(probes.size() - run.results.size());
    std::vector<probing::ProbeResult> results;
    for (auto& [index, result] : run.results) {
      take(result);
      results.push_back(std::move(result));
    }
    propose(results);
  }

  void take(const probing::ProbeResult& probed) {
    using probing::ProbeStatus;
    if (probed.status == ProbeStatus::kNotApplicable) {
      return;
    }
    evidence_.operators.push_back({probed.operatorName, probed.dtype, std::string(probed.pass()),
                                   std::string(probing::probeStatusName(probed.status)), probed.delegation});
    const Level level = probed.backward ? Level::kGradients : Level::kValues;
    Counted& counted = evidence_.counted[level];
    ++counted.cases;
    const bool isLeft = probed.delegation == ir::delegationName(ir::DelegationKind::kUndelegated);
    if (!probed.delegation.empty()) {
      ++counted.delegations[probed.delegation];
    }
    const bool isWrong = probed.isFinding() && !probed.caseText.empty();
    if (isWrong || probed.status == ProbeStatus::kRejected) {
      const language::Case theCase = parser::parsePrinted(probed.caseText);
      Observation seen{.level = levelOf(probed.result, theCase, level),
                       .result = probed.result,
                       .caseText = probed.caseText,
                       .operators = {probed.operatorName},
                       .dtype = probed.dtype};
      for (const worker::BackendResult& each : differencesBeside(probed.result)) {
        Observation beside = seen;
        beside.level = levelOf(each, theCase, level);
        beside.result = each;
        beside.isBeside = true;
        evidence_.observations.push_back(std::move(beside));
      }
      evidence_.observations.push_back(std::move(seen));
    }
    if (isWrong || probed.status == ProbeStatus::kSupported) {
      evidence_.judged.push_back({probed.operatorName, probed.dtype});
      counted.agreed += probed.status == ProbeStatus::kSupported && !isLeft ? 1 : 0;
    } else if (probed.status == ProbeStatus::kRejected || probed.status == ProbeStatus::kExcused) {
      ++counted.refused;
    } else {
      ++counted.notJudged;
      ++evidence_.notJudged[isLeft ? "probes that were left to PyTorch"
                                   : "probes: " + std::string(probing::probeStatusName(probed.status))];
    }
  }

  /// From now on the profile leaves out what is known to end the process or to be refused, and what is wrong alone, where that are few.
  void propose(const std::vector<probing::ProbeResult>& results) {
    std::set<std::string> operators, wrong;
    for (const probing::ProbeResult& each : results) {
      operators.insert(each.operatorName);
      if (each.status == probing::ProbeStatus::kWrong) {
        wrong.insert(each.operatorName);
      }
    }
    const bool areFew = static_cast<double>(wrong.size()) <= kMostExcludedShare * static_cast<double>(operators.size());
    proposed_ = probing::proposedProfile(results, evidence_.profile, /*excludeWrong=*/areFew);
  }

  void holdLevels() {
    std::vector<const LevelCampaign*> campaigns;
    for (const LevelCampaign& each : levelCampaigns()) {
      const bool isAskedFor = isAsked(each.level) || (each.level == Level::kValues && isAsked(Level::kLayout));
      if (isAskedFor && profileOf(each, proposed_).has_value()) {
        campaigns.push_back(&each);
      } else if (isAskedFor) {
        evidence_.whyNotAsked[each.level] =
            "the profile, or what the probes showed, leaves out what this level is about";
      }
    }
    for (size_t i = 0; i < campaigns.size() && !base::interruptRequested(); ++i) {
      const double seconds = (time_.left() - time_.forCauses()) / static_cast<double>(campaigns.size() - i);
      if (time_.left() > 0) {
        hold(*campaigns[i], std::max(kLeastOfCampaign, seconds - campaign::kGraceSeconds / 2));
      }
    }
  }

  /// The profile's keys that steer how Cases are made are not available for sequences.
  json judgingKeys() const {
    json object = proposed_;
    for (const std::string& key : profileFrom(proposed_, options_.profile).generating()) {
      object.erase(key);
    }
    return object;
  }

  void hold(const LevelCampaign& level, double seconds) {
    const LevelRow& row = rowOf(level.level);
    say(fmt::format("{} {}: {:.0f} seconds{}", row.name, row.title, seconds,
                    level.isOfSequences ? ", call sequences" : ""));
    campaign::FuzzOptions asked;
    asked.seconds = seconds;
    asked.cases = options_.cases;
    asked.seed = options_.seed;
    asked.backends = {options_.backend};
    asked.sequences = level.isOfSequences;
    asked.calls = kSameCalls;
    asked.workers = options_.workers;
    asked.parts.assign(level.parts.begin(), level.parts.end());
    asked.findings = findings_.string();
    asked.reduceSeconds = options_.reduceSeconds;
    asked.limits = options_.limits;
    asked.feedback = false;
    asked.profile = profileFrom(level.isOfSequences ? judgingKeys() : *profileOf(level, proposed_), options_.profile);
    asked.profileFile = campaign::storeProfile(asked.profile, asked.findings);
    try {
      pool::WorkerPool pool(
          {asked.workers, asked.backends, pool::limitsOf(asked.profile, asked.limits), "", asked.profile});
      store::FindingStore store(asked.findings);
      campaign::EventLog events("");
      campaign::Campaign campaign(asked, options_.seed, pool, store, events);
      take(level, campaign.run());
    } catch (const pool::WorkerUnavailable& error) { // it took the probes
      tellTrouble(level.level, error.what());
    } catch (const store::StoreError& error) {
      tellTrouble(level.level, error.what());
    }
  }

  /// Of a campaign that ended before its time: a line of the report, and the reason where the level is not shown.
  void tellTrouble(Level level, const std::string& what) {
    evidence_.whyNotShown[level] = what;
    evidence_.troubles.push_back(fmt::format("{}: {}", rowOf(level).name, what));
    say(what);
  }

  void take(const LevelCampaign& level, const campaign::CampaignResult& result) {
    const report::Tally& tally = result.report.tally;
    if (!result.failure.empty()) {
      tellTrouble(level.level, result.failure);
    }
    leave("failing Cases that nobody had time to look into", static_cast<int64_t>(result.report.waiting));
    leave("Cases on which Touchstone itself failed", tally.unreadable);
    const auto found = tally.backends.find(options_.backend);
    if (found == tally.backends.end()) {
      return;
    }
    count(level.level, found->second, tally.changedSizes);
    for (const report::Finding& each : result.report.findings) {
      byCluster_[each.id] = evidence_.observations.size();
      evidence_.observations.push_back({.level = levelOf(each.result, each.reduced, level.level),
                                        .result = each.result,
                                        .caseText = standalone::printCase(each.reduced),
                                        .operators = analysis::signatureOf(each.reduced).operators,
                                        .dtype = {},
                                        .seen = each.hits,
                                        .isReduced = !findings::headersOf(each.reduced).isUnfinished()});
    }
    for (const Outcome outcome : {Outcome::kKnown, Outcome::kSuppressed}) { // of an earlier level's cluster
      for (const auto& [id, hits] : tally.excused(outcome)) {
        const auto cluster = byCluster_.find(id);
        if (cluster != byCluster_.end()) {
          evidence_.observations[cluster->second].seen += hits;
        } else {
          leave(language::outcomeName(outcome), hits);
        }
      }
    }
  }

  /// Cases, or probes, that were not judged, and why.
  void leave(std::string_view why, int64_t count) {
    if (count > 0) {
      evidence_.notJudged[std::string(why)] += count;
    }
  }

  void count(Level level, const report::BackendTally& tally, int64_t changedSizes) {
    // What is asked at these levels is in a part of their Cases alone.
    const int64_t all = tally.count(Outcome::kAgreed);
    const int64_t agreed = level == Level::kErrors  ? tally.count(Outcome::kBothRejected)
                           : level == Level::kSizes ? std::min(all, changedSizes)
                                                    : all;
    const int64_t besides = level == Level::kErrors ? all : all - agreed;
    Counted& counted = evidence_.counted[level];
    counted.cases += tally.cases;
    counted.agreed += agreed;
    counted.refused += tally.count(Outcome::kBackendRejected) + tally.count(Outcome::kUnsupported);
    counted.notJudged += besides;
    leave(fmt::format("{}: agreed, and show nothing of the level", rowOf(level).name), besides);
    for (int i = 0; i < language::kOutcomeCount; ++i) {
      const auto outcome = static_cast<Outcome>(i);
      const bool isCounted = outcome == Outcome::kAgreed || outcome == Outcome::kKnown ||
                             outcome == Outcome::kSuppressed || language::isFinding(outcome) ||
                             (outcome == Outcome::kBothRejected && level == Level::kErrors);
      if (!isCounted) {
        leave(language::outcomeName(outcome), tally.count(outcome));
        counted.notJudged += outcome == Outcome::kUnsupported ? 0 : tally.count(outcome);
      }
    }
    for (const auto& [kind, cases] : tally.delegations) {
      counted.delegations[kind] += cases;
    }
  }

  const ConformOptions& options_;
  const TimeBudget& time_;
  const std::filesystem::path findings_; // of this run: what an older one found is found anew
  Evidence evidence_;
  json proposed_; // profile of the campaigns
  std::map<std::string, size_t> byCluster_; // observations by the id of their cluster
};

} // namespace

TimeBudget::TimeBudget(double minutes) : begin_(worker::wallSeconds()), seconds_(60 * minutes) {}

double TimeBudget::spent() const {
  return worker::wallSeconds() - begin_;
}

double TimeBudget::forProbes() const {
  return seconds_ * kShareOfProbes;
}

double TimeBudget::forCauses() const {
  return std::max(kLeastForCauses, seconds_ * kShareOfCauses);
}

worker::Profile profileFrom(const json& object, const worker::Profile& given) {
  worker::Profile profile = worker::readProfile(object, "the profile that the probes propose");
  profile.loaded = given.loaded;
  return profile;
}

Evidence collectEvidence(const ConformOptions& options, const TimeBudget& time) {
  return Collector(options, time).collect();
}

} // namespace touchstone::conformance
