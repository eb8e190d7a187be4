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
constexpr size_t kTriedMembers = 3; // of a cause, to find one that recurs

json jsonOf(const worker::Profile& profile) {
  return profile.text.empty() ? json::object() : json::parse(profile.text);
}

std::vector<std::string> operatorsOf(const language::Case& theCase) {
  return analysis::signatureOf(theCase).operators;
}

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
      beside.symptom = result.shows[i];
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
  explicit Conformance(const ConformOptions& options)
      : options_(options),
        begin_(worker::wallSeconds()),
        findings_(options.folder / "findings" / findings::asFileName(store::timeNow())) {
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
    report_.notJudged = notJudged_;
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
    report_.troubles = run.startTroubles;
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
        observations_.push_back(std::move(beside));
      }
      observations_.push_back(std::move(seen));
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
    std::set<std::string> operators, wrong;
    for (const probing::ProbeResult& each : results) {
      operators.insert(each.operatorName);
      if (each.status == probing::ProbeStatus::kWrong) {
        wrong.insert(each.operatorName);
      }
    }
    if (static_cast<double>(wrong.size()) > kMostExcludedShare * static_cast<double>(operators.size())) {
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
      if (secondsLeft() > 0) {
        hold(*campaigns[i], std::max(kLeastOfCampaign, seconds - campaign::kGraceSeconds / 2));
      }
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
    asked.findings = findings_.string();
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
      tellTrouble(level.level, error.what());
    } catch (const store::StoreError& error) {
      tellTrouble(level.level, error.what());
    }
  }

  /// Of a campaign that ended before its time: a line of the report, and the reason where the level is not shown.
  void tellTrouble(Level level, const std::string& what) {
    whyNotShown_[level] = what;
    report_.troubles.push_back(fmt::format("{}: {}", rowOf(level).name, what));
    say(what);
  }

  void take(const LevelCampaign& level, const campaign::CampaignResult& result) {
    Counted& counted = counted_[level.level];
    const report::Tally& tally = result.report.tally;
    if (!result.failure.empty()) {
      tellTrouble(level.level, result.failure);
    }
    if (result.report.waiting > 0) {
      notJudged_["failing Cases that nobody had time to look into"] += static_cast<int64_t>(result.report.waiting);
    }
    if (tally.unreadable > 0) {
      notJudged_["Cases on which Touchstone itself failed"] += tally.unreadable;
    }
    const auto found = tally.backends.find(options_.backend);
    if (found == tally.backends.end()) {
      return;
    }
    const report::BackendTally& backend = found->second;
    // What is asked at these levels is in a part of their Cases alone.
    const bool isOfErrors = level.level == Level::kErrors;
    const int64_t agreed = isOfErrors ? backend.count(Outcome::kBothRejected) : backend.count(Outcome::kAgreed);
    counted.cases += backend.cases;
    counted.agreed += level.level == Level::kSizes ? std::min(agreed, tally.changedSizes) : agreed;
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
                               .isReduced = !findings::headersOf(each.reduced).isUnfinished()});
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
    std::erase_if(observations_, [](const Observation& each) { return each.seen == 0; });
    causes = causesOf(observations_, judged_);
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
        told.file = fmt::format("causes/{}.py", cause.id);
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
    if (base::interruptRequested() || secondsLeft() + secondsForCauses() <= 0) { // campaigns may have ended late
      return base::interruptRequested() ? "was not run: interrupted" : "was not run: the time was up";
    }
    say(fmt::format("plain Python: {}", file.string()));
    return runInPlainPython(std::filesystem::absolute(file), options_.profile.environment, kPlainSeconds);
  }

  std::string labelled(const Observation& shown) const {
    language::Case theCase = parser::parsePrinted(shown.caseText);
    if (theCase.compile.options.empty()) { // plain Python has no profile
      theCase.compile.options = options_.profile.compile.options;
    }
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
      const Observation& shown = observations_[cause.members.front()];
      if (base::interruptRequested() || secondsLeft() < secondsForCauses() / 2 || shown.isReduced || shown.isBeside) {
        continue;
      }
      if (!pool.has_value()) {
        const worker::Profile profile = readProfile(base_);
        pool.emplace(pool::PoolOptions{
            options_.workers, {options_.backend}, pool::limitsOf(profile, options_.limits), "", profile});
      }
      const size_t tried = std::min(kTriedMembers, cause.members.size());
      bool recurs = false;
      for (size_t i = 0; i < tried && !recurs; ++i) {
        try {
          recurs = reduce(*pool, observations_[cause.members[i]]);
        } catch (const pool::WorkerUnavailable& error) {
          report_.troubles.push_back(error.what());
          return;
        }
      }
      if (!recurs) { // as campaigns do with what does not recur, or what a weaker backend shows as well
        for (const size_t member : cause.members) {
          notJudged_["probes that did not recur, or that a weaker backend shows as well"] +=
              std::exchange(observations_[member].seen, 0);
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
    Observation reduced = seen;
    reduced.result = suspect.result;
    if (titleOf(reduced) != titleOf(seen)) { // the smaller Case is of another cause
      return true;
    }
    seen.level = std::min(seen.level, levelOf(suspect.result, suspect.theCase, seen.level));
    seen.result = suspect.result;
    seen.caseText = standalone::printCase(suspect.theCase);
    seen.isReduced = true;
    return true;
  }

  void fillLevels() {
    for (const LevelRow& row : kLevels) {
      LevelReport level{.level = row.level};
      int64_t causes = 0;
      for (const CauseReport& cause : report_.causes) {
        causes += cause.level == row.level ? 1 : 0;
      }
      if (!isAsked(row.level)) {
        level.why = "not among the levels that were asked for";
        level.why += causes > 0 ? fmt::format("; {} seen all the same", base::counted(causes, "cause")) : "";
        report_.levels.push_back(std::move(level));
        continue;
      }
      const Level campaign = row.level == Level::kLayout ? Level::kValues : row.level; // which they share
      const Counted& counted = counted_[campaign];
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
      const auto notAsked = whyNotAsked_.find(campaign);
      const auto trouble = whyNotShown_.find(campaign);
      level.verdict = verdictOf(level, isWrong, notAsked != whyNotAsked_.end());
      if (level.verdict == LevelVerdict::kNotAsked) {
        level.why = notAsked->second;
      } else if (level.verdict == LevelVerdict::kNotShown) {
        level.why = trouble != whyNotShown_.end() ? trouble->second : whyNotShown(level, base::interruptRequested());
      }
      report_.levels.push_back(std::move(level));
    }
  }

  const ConformOptions& options_;
  const double begin_;
  const std::filesystem::path findings_; // of this run: what an older one found is found anew
  ConformanceReport report_;
  json base_, proposed_;
  std::vector<Observation> observations_;
  std::vector<JudgedProbe> judged_;
  std::map<Level, Counted> counted_;
  std::map<Level, std::string> whyNotAsked_, whyNotShown_;
  std::map<std::string, int64_t> notJudged_;
  std::map<std::string, size_t> byCluster_; // observations by the id of their cluster
};

} // namespace

ConformanceReport conform(const ConformOptions& options) {
  return Conformance(options).run();
}

} // namespace touchstone::conformance
