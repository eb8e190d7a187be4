#include "harness/Campaign.h"

#include "backends/Registry.h"
#include "graph/program/CaseParser.h"
#include "graph/program/CasePrinter.h"
#include "harness/Confirmation.h"
#include "harness/Interrupt.h"
#include "harness/Reducer.h"
#include "harness/Report.h"
#include "harness/worker/Progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace touchstone::harness {

namespace {

using graph::Outcome;

// A small cluster's operators are in many Programs, which may have a bug of their own: every so many are reduced all the
// same.
constexpr int64_t kMaskChecked = 8;
constexpr double kGraceSeconds = 10; // for what is on its way when the time is up

graph::Case parsePrinted(const std::string& text) {
  graph::ParseOptions options;
  options.checkMainPart = false;
  return graph::parseCase(text, options);
}

} // namespace

Campaign::Campaign(const FuzzOptions& options, uint64_t seed, WorkerPool& pool, FindingStore& store, EventLog& events)
    : options_(options),
      seed_(seed),
      pool_(pool),
      store_(store),
      events_(events),
      known_(options.known.empty() ? KnownList() : KnownList(options.known)),
      stream_(options, seed),
      display_({options.seconds, options.cases}) {
  result_.report.tally.isOfSequences = options.sequences;
}

double Campaign::secondsLeft() const {
  const double end = options_.seconds.has_value() ? begin_ + *options_.seconds + kGraceSeconds : 1e9;
  return std::max(0.0, end - wallSeconds());
}

void Campaign::tick() {
  display_.update(result_.report.tally, result_.report.findings.size(), activity_);
}

CampaignResult Campaign::run() {
  begin_ = wallSeconds();
  events_.start(seed_, options_.backends);
  pool_.setTick([this] { tick(); });
  pool_.setSource([&](graph::Family family) {
    if (secondsLeft() < kGraceSeconds) {
      stream_.stop();
    }
    return stream_.next(family);
  });
  const auto enough = [&] {
    const bool found = options_.maximumFindings > 0 && result_.report.findings.size() >= options_.maximumFindings;
    return found || secondsLeft() == 0;
  };
  try {
    while (!enough()) {
      std::vector<JobResult> results = pool_.wait();
      if (results.empty()) {
        break;
      }
      for (JobResult& each : results) {
        stream_.add(std::move(each));
      }
      for (auto finished = stream_.take(); finished.has_value(); finished = stream_.take()) {
        takeCase(finished->index, std::move(finished->result));
        if (enough()) {
          break;
        }
      }
    }
  } catch (const Interrupted&) { // told by the flag
  }
  result_.interrupted = result_.report.interrupted = interruptRequested();
  result_.report.seconds = wallSeconds() - begin_;
  result_.report.seed = seed_;
  events_.counts(result_.report.tally, /*last=*/true);
  return std::move(result_);
}

void Campaign::takeCase(uint64_t index, JobResult result) {
  const std::string foundBy = fmt::format("{}seed {} case {}", options_.sequences ? "sequences " : "", seed_, index);
  if (!result.error.empty()) {
    display_.say(fmt::format("Case {} of seed {} could not be judged: {}", index, seed_, result.error));
  }
  bool eagerDied = false;
  for (BackendResult& backend : result.backends) {
    if (options_.judgeOnly) {
      continue;
    }
    if (graph::isFinding(backend.outcome)) {
      handleFinding(foundBy, result.caseText, backend);
    } else if ((backend.outcome == Outcome::kEagerCrashed || backend.outcome == Outcome::kEagerTimedOut) &&
               !eagerDied) {
      eagerDied = true;
      store_.writeEagerDeath(result.caseText, backend, foundBy,
                             fmt::format("{} fuzz{} --seed {} --start {} --cases 1", programName(),
                                         options_.sequences ? " --sequences" : "", seed_, index));
      display_.say(fmt::format("Eager itself died on {}: {}", foundBy, backend.message));
    }
  }
  result_.report.tally.add(result);
  events_.counts(result_.report.tally);
  tick();
}

void Campaign::countHit(const std::string& id, BackendResult& result) {
  if (newClusters_.count(id) == 0) {
    result.outcome = Outcome::kKnown;
    result.detail = id;
    return;
  }
  for (Finding& finding : result_.report.findings) {
    finding.hits += finding.id == id ? 1 : 0;
  }
}

bool Campaign::isMasked(const Symptom& symptom, const Skeleton& skeleton, BackendResult& result) {
  for (const KnownCluster& cluster : store_.clusters()) {
    if (cluster.symptom != symptom || !isContained(cluster.skeleton, skeleton)) {
      continue;
    }
    if (++maskedHits_[cluster.id] % kMaskChecked == 0) {
      return false;
    }
    // Not a hit: what it comes down to was not looked at.
    result.outcome = newClusters_.count(cluster.id) == 0 ? Outcome::kKnown : Outcome::kMasked;
    result.detail = cluster.id;
    return true;
  }
  return false;
}

void Campaign::handleFinding(const std::string& foundBy, const std::string& caseText, BackendResult& result) {
  if (result.outcome == Outcome::kNoneBecameZero && noneBecameZero_.count(result.backend) != 0) {
    return; // one cause, reported once a campaign
  }
  Symptom symptom = symptomOf(result);
  if (known_.holdsSymptom(symptom)) {
    result.outcome = Outcome::kKnown;
    result.detail = symptom.text;
    return;
  }
  const Skeleton skeleton = caseText.empty() ? Skeleton{} : skeletonOf(parsePrinted(caseText));
  if (!caseText.empty() && isMasked(symptom, skeleton, result)) {
    return;
  }
  activity_ = "confirming a finding";
  const Confirmation confirmation = caseText.empty() ? Confirmation{} : confirm(pool_, caseText, result);
  activity_.clear();
  if (!confirmation.recurs) {
    result_.unconfirmed.push_back(fmt::format("{}: {} {}", foundBy, result.backend, result.text));
    events_.unconfirmed(foundBy, result);
    store_.writeUnconfirmed(caseText, result, foundBy, confirmation.history);
    result.outcome = Outcome::kUnconfirmed;
    return;
  }
  if (!confirmation.upstream.empty()) {
    result.outcome = Outcome::kUpstream;
    result.origin = result.detail = confirmation.upstream;
    return;
  }
  const bool diedInBackend = result.baseOutcome != confirmation.result.baseOutcome;
  result.baseOutcome = confirmation.result.baseOutcome;
  symptom = symptomOf(result);
  if (diedInBackend && isMasked(symptom, skeleton, result)) {
    return; // a process that died knows its base only now
  }
  reduceAndStore(foundBy, caseText, symptom, result);
}

std::optional<Rung> Campaign::findStage(const Finding& finding) {
  if (interruptRequested()) {
    return std::nullopt;
  }
  activity_ = "climbing the ladder of " + finding.symptom.backend;
  std::optional<Rung> stage;
  try {
    const graph::Family family = backends::backendInfo(finding.symptom.backend).family;
    stage = stageOf(graph::printCase(finding.reduced), finding.result, runnerOf(pool_, family));
  } catch (const Interrupted&) { // the finding is stored without it
  }
  activity_.clear();
  return stage;
}

void Campaign::reduceAndStore(const std::string& foundBy, const std::string& caseText, const Symptom& symptom,
                              BackendResult& result) {
  Finding finding;
  finding.symptom = symptom;
  finding.foundBy = foundBy;
  finding.profile = options_.profileFile;
  finding.result = result;
  finding.reduced = parsePrinted(caseText);
  ReducerOptions options;
  options.seconds = std::min(options_.reduceSeconds, secondsLeft());
  const auto describe = [&](const graph::Case& theCase) {
    activity_ = fmt::format("reducing {} ({} operators)", symptom.line(), skeletonOf(theCase).operators.size());
  };
  describe(finding.reduced);
  options.onBetter = describe;
  const graph::Case smaller = reduceCase(finding.reduced, placeOf(result),
                                         SymptomJudge(pool_, result, finding.reduced, options_.workers), options);
  activity_.clear();
  // The message and the place are those of the reduced Case; one that fails now keeps the large one.
  const Confirmation again =
      interruptRequested() ? Confirmation{} : confirm(pool_, graph::printCase(smaller), result, 1);
  if (again.recurs && again.upstream.empty()) {
    finding.reduced = smaller;
    const std::string base = finding.result.baseOutcome;
    finding.result = again.result;
    finding.result.baseOutcome = finding.result.baseOutcome.empty() ? base : finding.result.baseOutcome;
  }
  const Skeleton skeleton = skeletonOf(finding.reduced);
  finding.operations = static_cast<int>(skeleton.operators.size());
  finding.id = clusterId(symptom, skeleton);
  if (known_.holdsId(finding.id)) {
    result.outcome = Outcome::kKnown;
    result.detail = finding.id;
    return;
  }
  const auto sameId = [&](const auto& each) { return each.id == finding.id; };
  const auto old = std::find_if(store_.clusters().begin(), store_.clusters().end(), sameId);
  if (old != store_.clusters().end()) {
    countHit(old->id, result);
    return;
  }
  finding.stage = findStage(finding);
  store_.write(finding);
  newClusters_.insert(finding.id);
  if (result.outcome == Outcome::kNoneBecameZero) {
    noneBecameZero_.insert(result.backend);
  }
  events_.finding(finding);
  display_.say(fmt::format("FINDING {} ({} operators): {}\n{}  {}", finding.id, finding.operations,
                           finding.symptom.line(), finding.stage ? "  stage: " + stageText(finding.stage) + "\n" : "",
                           replayCommand(finding)));
  result_.report.findings.push_back(std::move(finding));
}

} // namespace touchstone::harness
