#include "harness/conformance/ConformanceRun.h"

#include "backends/Registry.h"
#include "base/AtomicFile.h"
#include "base/Interrupt.h"
#include "base/Machine.h"
#include "base/Words.h"
#include "graph/ir/Delegation.h"
#include "harness/campaign/Campaign.h"
#include "harness/campaign/StoredProfile.h"
#include "harness/conformance/Causes.h"
#include "harness/conformance/PlainPython.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/probing/ProbeRun.h"
#include "harness/report/Report.h"
#include "harness/triage/Confirmation.h"
#include "harness/worker/Progress.h"
#include "program/analysis/ProgramSignature.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

namespace touchstone::conformance {

namespace {

using language::Outcome;
using nlohmann::json;

// Of the time: at most, for the probes; what is kept for reducing and for plain Python.
constexpr double kShareOfProbes = 0.3, kShareOfCauses = 0.15;
constexpr double kLeastForCauses = 20, kLeastOfCampaign = 5, kPlainSeconds = 60;
constexpr double kMostExcludedShare = 0.25; // of the operators: where more are wrong, it is not the operators
constexpr int kSameCalls = 4; // calls of a Case that differ in values alone: more Programs in less time
constexpr int64_t kFewestCases = 10; // that agreed, for a level to hold
constexpr size_t kTriedMembers = 3; // of a cause, to find one that recurs

json jsonOf(const worker::Profile& profile) {
  return profile.text.empty() ? json::object() : json::parse(profile.text);
}

std::vector<std::string> operatorsOf(const language::Case& theCase) {
  return analysis::signatureOf(theCase).operators;
}

/// The result once for each property that differs, so that one which nearly every Case shows hides no other.
std::vector<worker::BackendResult> differencesOf(const worker::BackendResult& result) {
  std::vector<worker::BackendResult> all{result};
  if (result.outcome == Outcome::kDiffers) {
    for (size_t i = 1; i < result.shows.size(); ++i) {
      worker::BackendResult& beside = all.emplace_back(result);
      beside.shows = {result.shows[i]};
      beside.text = beside.symptom = result.shows[i];
      beside.message = fmt::format("{} beside {}", result.shows[i], result.shows[0]);
      beside.call = 0;
    }
  }
  return all;
}

/// What a level's rows count of campaigns and probes.
struct Counted {
  int64_t cases = 0, agreed = 0, refused = 0, notJudged = 0;
  std::map<std::string, int64_t> delegations;
};

class Conformance {
 public:
  explicit Conformance(const ConformOptions& options) : options_(options), begin_(worker::wallSeconds()) {
    report_.backend = options.backend;
    report_.torch = report::torchVersion();
    report_.processor = base::processorName();
    report_.date = store::timeNow().substr(0, 10);
    report_.versions = versionsOf(options.profile);
    report_.command = options.command;
    report_.seed = options.seed;
  }

  ConformanceReport run() {
    probe();
    holdLevels();
    std::vector<Cause> causes = causesOf(observations_, judged_);
    showEach(causes);
    fillLevels();
    report_.isInterrupted = base::interruptRequested();
    report_.seconds = worker::wallSeconds() - begin_;
    for (const auto& [why, count] : notJudged_) {
      report_.notJudged.emplace_back(why, count);
    }
    return std::move(report_);
  }

 private:
  double secondsLeft() const { return 60 * options_.minutes - (worker::wallSeconds() - begin_); }
  double secondsForCauses() const { return std::max(kLeastForCauses, 60 * options_.minutes * kShareOfCauses); }
  bool isAsked(Level level) const { return options_.levels.empty() || options_.levels.count(level) != 0; }

  void say(const std::string& line) const { fmt::print(stderr, "{}\n", line); }

  /// Each operator with each dtype, forward and backward.
  void probe() {
    const probing::ProbeRunOptions asked{.backend = options_.backend,
                                         .profile = options_.profile,
                                         .wantCases = true,
                                         .workers = options_.workers,
                                         .seconds = 60 * options_.minutes * kShareOfProbes,
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
    base_ = jsonOf(options_.profile);
    base_["backend"] = options_.backend;
    if (run.isCold) {
      base_["warm_up"] = false;
    }
    report_.startTroubles = run.startTroubles;
    report_.probesLeft = static_cast<int64_t>(probes.size() - run.results.size());
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
    report_.operators.push_back({probed.operatorName, probed.dtype, std::string(probed.pass()),
                                 std::string(probing::probeStatusName(probed.status)), probed.delegation});
    const Level level = probed.backward ? Level::kGradients : Level::kValues;
    Counted& counted = counted_[level];
    ++counted.cases;
    const bool isLeft = probed.delegation == ir::delegationName(ir::DelegationKind::kUndelegated);
    if (!probed.delegation.empty()) {
      ++counted.delegations[probed.delegation];
    }
    const bool isWrong = probed.isFinding() && !probed.caseText.empty();
    if (isWrong || probed.status == ProbeStatus::kRejected) {
      for (const worker::BackendResult& each : differencesOf(probed.result)) {
        observations_.push_back({.level = levelOf(each, parser::parsePrinted(probed.caseText), level),
                                 .result = each,
                                 .caseText = probed.caseText,
                                 .operators = {probed.operatorName},
                                 .dtype = probed.dtype});
      }
    }
    if (isWrong || probed.status == ProbeStatus::kSupported) {
      judged_.push_back({probed.operatorName, probed.dtype});
      counted.agreed += probed.status == ProbeStatus::kSupported && !isLeft ? 1 : 0;
    } else if (probed.status == ProbeStatus::kRejected || probed.status == ProbeStatus::kExcused) {
      ++counted.refused;
    } else {
      ++counted.notJudged;
      ++notJudged_[isLeft ? "probes that were left to PyTorch"
                          : "probes: " + std::string(probing::probeStatusName(probed.status))];
    }
  }

  /// From now on the profile leaves out what is known to end the process or to be refused, and what is wrong alone, where that are few.
  void propose(const std::vector<probing::ProbeResult>& results) {
    proposed_ = probing::proposedProfile(results, base_, /*excludeWrong=*/true);
    std::set<std::string> operators;
    for (const probing::ProbeResult& each : results) {
      operators.insert(each.operatorName);
    }
    const auto excluded = proposed_.find("excluded_operators");
    if (excluded != proposed_.end() &&
        static_cast<double>(excluded->size()) > kMostExcludedShare * static_cast<double>(operators.size())) {
      proposed_ = probing::proposedProfile(results, base_, /*excludeWrong=*/false);
    }
  }

  void holdLevels() {
    std::vector<const LevelCampaign*> campaigns;
    for (const LevelCampaign& each : levelCampaigns()) {
      const bool isAskedFor = isAsked(each.level) || (each.level == Level::kValues && isAsked(Level::kLayout));
      if (isAskedFor && profileOf(each, proposed_).has_value()) {
        campaigns.push_back(&each);
      } else if (isAskedFor) {
        whyNotAsked_[each.level] = "the profile, or what the probes showed, leaves out what this level is about";
      }
    }
    for (size_t i = 0; i < campaigns.size() && !base::interruptRequested(); ++i) {
      const double seconds = (secondsLeft() - secondsForCauses()) / static_cast<double>(campaigns.size() - i);
      hold(*campaigns[i], std::max(kLeastOfCampaign, seconds - campaign::kGraceSeconds / 2));
    }
  }

  worker::Profile readProfile(const json& object) const {
    worker::Profile profile = worker::readProfile(object, "the profile that the probes propose");
    profile.loaded = options_.profile.loaded;
    return profile;
  }

  /// The profile's keys that steer how Cases are made are not available for sequences.
  json judgingKeys() const {
    json object = proposed_;
    for (const std::string& key : readProfile(proposed_).generating()) {
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
    asked.seed = options_.seed;
    asked.backends = {options_.backend};
    asked.sequences = level.isOfSequences;
    asked.calls = kSameCalls;
    asked.workers = options_.workers;
    asked.parts.assign(level.parts.begin(), level.parts.end());
    asked.findings = (options_.folder / "findings").string();
    asked.reduceSeconds = options_.reduceSeconds;
    asked.limits = options_.limits;
    asked.feedback = false;
    asked.profile = readProfile(level.isOfSequences ? judgingKeys() : *profileOf(level, proposed_));
    asked.profileFile = campaign::storeProfile(asked.profile, asked.findings);
    try {
      pool::WorkerPool pool(
          {asked.workers, asked.backends, pool::limitsOf(asked.profile, asked.limits), "", asked.profile});
      store::FindingStore store(asked.findings);
      campaign::EventLog events("");
      campaign::Campaign campaign(asked, options_.seed, pool, store, events);
      take(level, campaign.run());
    } catch (const pool::WorkerUnavailable& error) { // it took the probes
      whyNotAsked_[level.level] = error.what();
      say(error.what());
    }
  }

  void take(const LevelCampaign& level, const campaign::CampaignResult& result) {
    Counted& counted = counted_[level.level];
    const report::Tally& tally = result.report.tally;
    const auto found = tally.backends.find(options_.backend);
    if (found == tally.backends.end()) {
      return;
    }
    const report::BackendTally& backend = found->second;
    const bool isOfErrors = level.level == Level::kErrors;
    counted.cases += backend.cases;
    counted.agreed += backend.count(Outcome::kAgreed) + (isOfErrors ? backend.count(Outcome::kBothRejected) : 0);
    counted.refused += backend.count(Outcome::kBackendRejected) + backend.count(Outcome::kUnsupported);
    for (const Outcome outcome :
         {Outcome::kVacuous, Outcome::kLimit, Outcome::kUpstream, Outcome::kUnsupported, Outcome::kUnconfirmed,
          Outcome::kEagerUnstable, Outcome::kIllConditioned, Outcome::kEagerRejected, Outcome::kEagerCrashed,
          Outcome::kEagerTimedOut, Outcome::kBackendAccepts}) {
      if (const int64_t count = backend.count(outcome); count > 0) {
        notJudged_[std::string(language::outcomeName(outcome))] += count;
        counted.notJudged += outcome == Outcome::kUnsupported ? 0 : count;
      }
    }
    counted.notJudged += isOfErrors ? 0 : backend.count(Outcome::kBothRejected);
    for (const auto& [kind, cases] : backend.delegations) {
      counted.delegations[kind] += cases;
    }
    for (const report::Finding& each : result.report.findings) {
      byCluster_[each.id] = observations_.size();
      observations_.push_back({.level = levelOf(each.result, each.reduced, level.level),
                               .result = each.result,
                               .caseText = standalone::printCase(each.reduced),
                               .operators = operatorsOf(each.reduced),
                               .dtype = {},
                               .seen = each.hits,
                               .isReduced = true});
    }
    for (const Outcome outcome : {Outcome::kKnown, Outcome::kSuppressed}) { // of an earlier level's cluster
      for (const auto& [id, hits] : tally.excused(outcome)) {
        const auto cluster = byCluster_.find(id);
        if (cluster != byCluster_.end()) {
          observations_[cluster->second].seen += hits;
        } else {
          notJudged_[std::string(language::outcomeName(outcome))] += hits;
        }
      }
    }
  }

  /// One Case of each cause: reduced where it is not, written, and run in plain Python.
  void showEach(std::vector<Cause>& causes) {
    reduceProbes(causes);
    causes = causesOf(observations_, judged_);
    size_t number = 0;
    for (const Cause& cause : causes) {
      const Observation& shown = observations_[cause.members.front()];
      CauseReport told{.id = cause.id,
                       .title = cause.title,
                       .message = shown.result.message,
                       .level = cause.level,
                       .isRefusal = cause.isRefusal,
                       .operators = cause.operators,
                       .dtypes = cause.dtypes,
                       .probes = cause.probes,
                       .cases = cause.cases,
                       .symptom = shown.result.text,
                       .file = {},
                       .plainPython = {}};
      if (!shown.caseText.empty()) {
        told.file = fmt::format("causes/{:02}-{}.py", ++number, cause.id);
        base::writeFile(options_.folder / told.file, labelled(shown));
        told.plainPython = plainly(options_.folder / told.file);
      }
      report_.causes.push_back(std::move(told));
    }
  }

  std::string plainly(const std::filesystem::path& file) const {
    if (backends::backendInfo(options_.backend).family != ir::Family::kTorch) {
      return "";
    }
    if (base::interruptRequested() || secondsLeft() <= 0) {
      return "was not run: the time was up";
    }
    say(fmt::format("plain Python: {}", file.string()));
    return runInPlainPython(std::filesystem::absolute(file), options_.profile.environment, kPlainSeconds);
  }

  std::string labelled(const Observation& shown) const {
    language::Case theCase = parser::parsePrinted(shown.caseText);
    findings::FindingHeaders headers = findings::headersOf(theCase);
    headers.torch = report_.torch;
    headers.symptom.backend = options_.backend;
    headers.setMessage(shown.result.message);
    findings::label(theCase, headers, {language::parseExpectation(options_.backend + " " + shown.result.text)},
                    options_.profile);
    return standalone::printCase(theCase);
  }

  void reduceProbes(const std::vector<Cause>& causes) {
    std::optional<pool::WorkerPool> pool;
    for (const Cause& cause : causes) {
      if (base::interruptRequested() || secondsLeft() < secondsForCauses() / 2 ||
          observations_[cause.members.front()].isReduced) {
        continue;
      }
      if (!pool.has_value()) {
        const worker::Profile profile = readProfile(base_);
        pool.emplace(pool::PoolOptions{
            options_.workers, {options_.backend}, pool::limitsOf(profile, options_.limits), "", profile});
      }
      for (size_t i = 0; i < std::min(kTriedMembers, cause.members.size()); ++i) {
        if (reduce(*pool, observations_[cause.members[i]])) {
          break;
        }
      }
    }
  }

  /// False: it does not recur.
  bool reduce(pool::WorkerPool& pool, Observation& seen) const {
    say(fmt::format("reducing {} of {}", seen.result.text, seen.operators.front()));
    findings::Suspect suspect{.theCase = parser::parsePrinted(seen.caseText), .result = seen.result};
    const findings::RunAlone alone = triage::aloneIn(pool);
    try {
      if (!findings::confirm(suspect, alone)) {
        return false;
      }
      const triage::SymptomJudge judge(pool, suspect.result, suspect.theCase, {.workers = options_.workers});
      findings::reduce(suspect, judge, alone,
                       {.seconds = std::min(options_.reduceSeconds, secondsLeft() - secondsForCauses() / 2)});
    } catch (const base::Interrupted&) {
      return true; // as it is
    }
    seen.level = std::min(seen.level, levelOf(suspect.result, suspect.theCase, seen.level));
    seen.result = suspect.result;
    seen.caseText = standalone::printCase(suspect.theCase);
    seen.isReduced = true;
    return true;
  }

  void fillLevels() {
    for (const CauseReport& cause : report_.causes) {
      failsElsewhere_ += cause.isRefusal ? 0 : 1;
    }
    for (const LevelRow& row : kLevels) {
      LevelReport level{.level = row.level};
      if (!isAsked(row.level)) {
        level.why = "not among the levels that were asked for";
        report_.levels.push_back(std::move(level));
        continue;
      }
      const Counted& counted = counted_[row.level == Level::kLayout ? Level::kValues : row.level];
      level.cases = counted.cases;
      level.agreed = counted.agreed;
      level.refused = counted.refused;
      level.notJudged = counted.notJudged;
      level.delegations = counted.delegations;
      bool isWrong = false;
      for (const CauseReport& cause : report_.causes) {
        if (cause.level == row.level) {
          level.causes.push_back(cause.id);
          isWrong = isWrong || !cause.isRefusal;
          level.wrong += cause.isRefusal ? 0 : cause.probes + cause.cases;
        }
      }
      level.verdict = verdictOf(level, isWrong);
      if (level.verdict == LevelVerdict::kNotShown) {
        level.why = level.delegations.count(std::string(ir::delegationName(ir::DelegationKind::kUndelegated))) != 0
                        ? "the backend left what it was handed to PyTorch"
                    : level.agreed > 0                       ? fmt::format("only {} agreed; fewer than {} show nothing",
                                                                           base::counted(level.agreed, "Case"), kFewestCases)
                    : failsElsewhere_ > 0 && level.cases > 0 ? "every Case that was judged fails at another level"
                    : level.cases > 0                        ? "no Case was judged"
                                                             : "there was no time";
      } else if (level.verdict == LevelVerdict::kNotAsked) {
        level.why = whyNotAsked_[row.level];
      }
      report_.levels.push_back(std::move(level));
    }
  }

  LevelVerdict verdictOf(const LevelReport& level, bool isWrong) const {
    if (isWrong) {
      return LevelVerdict::kFails;
    }
    if (level.cases == 0 && whyNotAsked_.count(level.level) != 0) {
      return LevelVerdict::kNotAsked;
    }
    if (level.agreed < kFewestCases) {
      return level.agreed == 0 && level.refused > 0 ? LevelVerdict::kRefused : LevelVerdict::kNotShown;
    }
    return level.refused > 0 || !level.causes.empty() ? LevelVerdict::kHoldsWhereTaken : LevelVerdict::kHolds;
  }

  const ConformOptions& options_;
  const double begin_;
  ConformanceReport report_;
  json base_, proposed_;
  std::vector<Observation> observations_;
  std::vector<JudgedProbe> judged_;
  std::map<Level, Counted> counted_;
  std::map<Level, std::string> whyNotAsked_;
  std::map<std::string, int64_t> notJudged_;
  int64_t failsElsewhere_ = 0; // causes that are no refusals
  std::map<std::string, size_t> byCluster_; // observations by the id of their cluster
};

} // namespace

ConformanceReport conform(const ConformOptions& options) {
  return Conformance(options).run();
}

} // namespace touchstone::conformance
