#include "harness/campaign/Campaign.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "base/Words.h"
#include "generators/mutation/CaseMutation.h"
#include "harness/pool/ProfileFlags.h"
#include "harness/reducer/Reducer.h"
#include "harness/report/Report.h"
#include "harness/triage/Confirmation.h"
#include "harness/triage/Ladder.h"
#include "harness/triage/StoredSuppression.h"
#include "harness/triage/SuppressionProposal.h"
#include "harness/worker/Progress.h"
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace touchstone::campaign {

namespace {

std::string profileFlagsOf(const std::string& file) {
  return pool::ProfileFlags{.file = file}.commandLine();
}

using language::Outcome;

// A small cluster's operators are in many Programs, which may have a bug of their own: every so many are reduced all the
// same.
constexpr int64_t kSuppressedChecked = 8;
constexpr double kGraceSeconds = 10; // for what is on its way when the time is up
constexpr double kSecondsBetweenStates = 1;
constexpr double kStateShare = 50; // writing the state takes at most one part in so many of the time

report::CoverageCounts countsOf(const Coverage& coverage) {
  report::CoverageCounts counts;
  counts.seen = static_cast<int64_t>(coverage.seen());
  counts.full = coverage.isFull();
  counts.kept = static_cast<int64_t>(coverage.kept());
  for (int kind = 0; kind < features::kFeatureKindCount; ++kind) {
    const auto each = static_cast<features::FeatureKind>(kind);
    counts.byKind[std::string(features::featureKindName(each))] = coverage.seenOf(each);
  }
  return counts;
}

} // namespace

Campaign::Campaign(const FuzzOptions& options, uint64_t seed, pool::WorkerPool& pool, store::FindingStore& store,
                   EventLog& events, CampaignStart start)
    : options_(options),
      seed_(seed),
      pool_(pool),
      store_(store),
      events_(events),
      known_(baseline::givenKnownFindings(options.known, options.today)),
      corpus_(start.corpus),
      recordFile_(start.recordFile),
      id_(start.id),
      coverage_(options.usesFeedback()),
      stream_(options, seed, streamOptions(start)),
      display_({options.seconds, options.cases}) {
  tally_.isOfSequences = options.sequences;
  for (const store::KnownCluster& cluster : store.clusters()) {
    try {
      if (baseline::KnownFindings suppressions = triage::suppressionsBeside(options.findings, cluster.id);
          !suppressions.entries().empty()) {
        suppressions_.emplace(cluster.id, std::move(suppressions));
      }
    } catch (const base::WrongUse& error) { // the campaign does without
      display_.say(fmt::format("The suppression of {} is left out: {}", cluster.id, error.what()));
    }
  }
  if (start.record.has_value()) {
    CampaignRecord& record = *start.record;
    tally_ = std::move(record.tally);
    memory_ = std::move(record.memory);
    derivedFromKept_ = record.derivedFromKept;
    coverage_.restore(record.features, std::move(record.kept));
    begin_ = -record.seconds; // run() adds what time it is
    for (report::Finding& finding : memory_.findings) {
      finding.profileFlags = profileFlagsOf(options.profileFile);
    }
  }
}

StreamOptions Campaign::streamOptions(const CampaignStart& start) {
  StreamOptions stream;
  stream.first = start.record.has_value() ? start.record->position : 0;
  stream.wantFeatures = options_.countsFeatures();
  stream.wantCases = options_.usesFeedback();
  for (const baseline::KnownEntry& entry : known_.skipping()) {
    stream.skipSuppressions.push_back({entry.id, entry.backend, suppressions::patternLines(*entry.pattern)});
  }
  if (!options_.sequences && (!corpus_.empty() || options_.usesFeedback())) {
    stream.starts = [this](uint64_t index) -> std::vector<store::SeedCasePtr> {
      if (!corpus_.empty() && mutation::isDerived(seed_, index, options_.corpusShare)) {
        return store::startsAmong(seed_, index, corpus_);
      }
      const bool fromKept = options_.usesFeedback() && mutation::isDerived(~seed_, index, coverage_.share());
      return fromKept ? coverage_.choose(seed_, index) : std::vector<store::SeedCasePtr>{};
    };
  }
  return stream;
}

double Campaign::secondsLeft() const {
  const double end = options_.seconds.has_value() ? begin_ + *options_.seconds + kGraceSeconds : 1e9;
  return std::max(0.0, end - worker::wallSeconds());
}

void Campaign::tick() {
  display_.update(tally_, memory_.findings.size(), activity_);
  events_.counts(tally_);
}

CampaignResult Campaign::run() {
  begin_ += worker::wallSeconds();
  events_.start(options_, seed_, stream_.taken());
  pool_.setTick([this] { tick(); });
  pool_.setSource([&](ir::Family family) {
    if (secondsLeft() < kGraceSeconds) {
      stream_.stop();
    }
    return stream_.next(family);
  });
  const auto foundEnough = [&] {
    return options_.maximumFindings > 0 && memory_.findings.size() >= options_.maximumFindings;
  };
  // Cases behind an interrupted one are judged again, too: what they show may depend on it.
  const auto enough = [&] { return foundEnough() || secondsLeft() == 0 || stateIsFinal_; };
  CampaignResult result;
  try {
    writeState(stream_.taken(), memory_); // what is found in the first Case belongs to a campaign that can go on
    while (!enough()) {
      std::vector<worker::JobResult> results = pool_.wait();
      if (results.empty()) {
        break;
      }
      for (worker::JobResult& each : results) {
        stream_.add(std::move(each));
      }
      for (auto finished = stream_.take(); finished.has_value(); finished = stream_.take()) {
        takeCase(std::move(*finished));
        if (enough()) {
          break;
        }
      }
    }
  } catch (const base::Interrupted&) { // told by the flag
  } catch (const store::StoreError& error) {
    result.failure = error.what();
  }
  result.interrupted = result.report.interrupted = base::interruptRequested();
  const bool stoppedEarly = result.interrupted || (foundEnough() && !stream_.isAtEnd() && secondsLeft() > 0);
  try {
    if (result.failure.empty()) {
      writeState(stream_.taken(), memory_, /*finished=*/!stoppedEarly);
    }
    const bool finished = result.failure.empty() && !stoppedEarly;
    store_.endCampaign(tally_, worker::wallSeconds() - begin_,
                       finished ? store::CampaignState::kFinished : store::CampaignState::kInterrupted);
  } catch (const store::StoreError& error) {
    result.failure = result.failure.empty() ? error.what() : result.failure;
  }
  events_.counts(tally_, /*last=*/true);
  result.report.tally = std::move(tally_);
  result.report.findings = std::move(memory_.findings);
  result.unconfirmed = std::move(memory_.unconfirmed);
  result.report.seconds = worker::wallSeconds() - begin_;
  result.report.seed = seed_;
  for (const baseline::KnownEntry& entry : known_.expired()) {
    result.report.expired.emplace_back(entry.id, entry.expires);
  }
  result.report.derivedFromKept = derivedFromKept_;
  if (options_.countsFeatures()) {
    result.report.coverage = countsOf(coverage_);
  }
  return result;
}

void Campaign::writeState(uint64_t position, const CampaignMemory& memory, bool finished) {
  if (recordFile_.empty() || stateIsFinal_) {
    return;
  }
  const double before = worker::wallSeconds();
  store_.writeCounts(tally_, before - begin_); // first: the state must not say more than the store
  CampaignRecord record;
  record.id = id_;
  record.options = options_;
  record.options.seed = seed_;
  record.finished = finished;
  record.position = position;
  record.workingFolder = std::filesystem::current_path();
  record.folder = std::filesystem::absolute(recordFile_).parent_path().lexically_normal();
  record.seconds = before - begin_;
  record.tally = tally_;
  record.memory = memory;
  for (const store::SeedCasePtr& each : corpus_) {
    record.corpus[each->name] = each->content;
  }
  record.derivedFromKept = derivedFromKept_;
  record.features = coverage_.features();
  record.kept = coverage_.keptCases();
  store::storing([&] { writeRecord(recordFile_, record); });
  const double after = worker::wallSeconds();
  nextWrite_ = after + std::max(kSecondsBetweenStates, kStateShare * (after - before));
}

void Campaign::takeCase(FinishedCase finished) {
  worker::JobResult result = std::move(finished.result);
  const bool differs = std::any_of(result.backends.begin(), result.backends.end(),
                                   [](const worker::BackendResult& each) { return language::isFinding(each.outcome); });
  // An interrupt ends confirming and reducing half-way: whoever goes on deals with the whole Case again.
  const std::optional<CampaignMemory> before =
      differs && !options_.judgeOnly ? std::optional<CampaignMemory>(memory_) : std::nullopt;
  const auto endBefore = [&] {
    writeState(finished.position, *before);
    stateIsFinal_ = true;
  };
  const size_t findings = memory_.findings.size();
  try {
    judgeCase(finished, result);
  } catch (const base::Interrupted&) {
    endBefore();
    throw;
  }
  if (before.has_value() && base::interruptRequested()) {
    endBefore();
  }
  const bool wasKept = !result.making.derivation.empty() && !finished.starts.empty() && isKept(finished);
  derivedFromKept_ += wasKept ? 1 : 0;
  tally_.add(result);
  if (options_.countsFeatures()) {
    coverage_.add(fmt::format("seed {} case {}", seed_, finished.index), result, wasKept);
  }
  if (memory_.findings.size() > findings || worker::wallSeconds() >= nextWrite_) {
    writeState(finished.position + 1, memory_);
  }
  tick();
}

bool Campaign::isKept(const FinishedCase& finished) const {
  return std::find(corpus_.begin(), corpus_.end(), finished.starts.front()) == corpus_.end();
}

std::string Campaign::originOf(const FinishedCase& finished, const std::string& derivation) const {
  std::string text = fmt::format("{}seed {} case {}", options_.sequences ? "sequences " : "", seed_, finished.index);
  if (!derivation.empty()) {
    text += ", " + derivation + " from ";
    const bool fromTheFirst = derivation == "continued" || derivation == "mutated";
    for (size_t i = 0; i < (fromTheFirst ? 1 : finished.starts.size()); ++i) {
      const store::SeedCase& start = *finished.starts[i];
      text += fmt::format("{}{} ({:016x})", i == 0 ? "" : " and ", start.name, start.content);
    }
  }
  return text;
}

void Campaign::judgeCase(const FinishedCase& finished, worker::JobResult& result) {
  const std::string foundBy = originOf(finished, result.making.derivation);
  store_.beginCase(foundBy);
  if (!result.error.empty()) {
    display_.say(fmt::format("Case {} of seed {} could not be judged: {}", finished.index, seed_, result.error));
  }
  bool eagerDied = false;
  for (worker::BackendResult& backend : result.backends) {
    const bool ofEager = backend.outcome == Outcome::kEagerCrashed || backend.outcome == Outcome::kEagerTimedOut;
    if (options_.judgeOnly) {
      continue;
    }
    if (ofEager && !eagerDied) {
      eagerDied = true;
      keepEagerDeath(finished, result, backend);
    } else if (language::isFinding(backend.outcome)) {
      handleFinding(foundBy, result.caseText, backend);
    }
  }
}

void Campaign::keepEagerDeath(const FinishedCase& finished, const worker::JobResult& result,
                              const worker::BackendResult& backend) {
  // Whether it was being derived when it ended the process is not told; what was asked for is.
  const bool unknown = result.caseText.empty() && !finished.starts.empty();
  const std::string foundBy = originOf(finished, unknown ? "derived" : result.making.derivation);
  const std::string kind = options_.sequences ? " --sequences" : fmt::format(" --calls {}", callsOf(options_));
  std::string command =
      fmt::format("{} fuzz{} --seed {} --start {} --cases 1", report::programName(), kind, seed_, finished.index);
  if (unknown || !result.making.derivation.empty()) {
    command += " --corpus " + store_.writeStarts(finished.starts, finished.index) + " --corpus-share 1";
  }
  command += profileFlagsOf(options_.profileFile);
  store_.writeEagerDeath(result.caseText, backend, foundBy, command);
  display_.say(fmt::format("Eager itself died on {}: {}", foundBy, backend.message));
}

void Campaign::countHit(const std::string& id, worker::BackendResult& result) {
  store_.note(id, result.backend, store::SightingKind::kAgain);
  if (memory_.newClusters.count(id) == 0) {
    result.outcome = Outcome::kKnown;
    result.detail = id;
    return;
  }
  for (report::Finding& finding : memory_.findings) {
    finding.hits += finding.id == id ? 1 : 0;
  }
}

bool Campaign::isKnown(const worker::Symptom& symptom, const Shape& shape, worker::BackendResult& result) const {
  const baseline::KnownEntry* entry = known_.bySymptom(symptom);
  const baseline::KnownEntry* suppression = entry == nullptr ? known_.byPattern(shape.program, symptom) : nullptr;
  if (entry == nullptr && suppression == nullptr) {
    return false;
  }
  result.outcome = entry != nullptr ? Outcome::kKnown : Outcome::kSuppressed;
  result.detail = entry != nullptr ? entry->id : suppression->id;
  return true;
}

const baseline::KnownFindings* Campaign::suppressionsFor(const store::KnownCluster& cluster,
                                                         const worker::Symptom& symptom) const {
  const auto suppressions = suppressions_.find(cluster.id);
  const bool isAbout = suppressions != suppressions_.end() && cluster.symptom.backend == symptom.backend &&
                       cluster.symptom.origin == symptom.origin;
  return isAbout ? &suppressions->second : nullptr;
}

bool Campaign::suppressionMatches(const store::KnownCluster& cluster, const analysis::FlatProgram& program,
                                  const worker::Symptom& symptom) const {
  const baseline::KnownFindings* suppressions = suppressionsFor(cluster, symptom);
  return suppressions != nullptr && suppressions->byPattern(program, symptom) != nullptr;
}

std::vector<const baseline::KnownEntry*> Campaign::suppressionsThatMatch(const analysis::FlatProgram& program,
                                                                         const worker::Symptom& symptom) const {
  std::vector<const baseline::KnownEntry*> result = known_.allByPattern(program, symptom);
  for (const store::KnownCluster& each : store_.clusters()) {
    if (const baseline::KnownFindings* suppressions = suppressionsFor(each, symptom)) {
      const std::vector<const baseline::KnownEntry*> own = suppressions->allByPattern(program, symptom);
      result.insert(result.end(), own.begin(), own.end());
    }
  }
  return result;
}

const store::KnownCluster* Campaign::clusterOf(const report::Finding& finding) const {
  const auto isIt = [&](const store::KnownCluster& each) { return each.id == finding.id; };
  auto found = std::find_if(store_.clusters().begin(), store_.clusters().end(), isIt);
  if (found == store_.clusters().end() && !store_.isFixed(finding.id)) {
    const analysis::FlatProgram program = analysis::flatten(finding.reduced);
    found = std::find_if(store_.clusters().begin(), store_.clusters().end(), [&](const store::KnownCluster& each) {
      return each.symptom.way() == finding.symptom.way() && suppressionMatches(each, program, finding.symptom);
    });
  }
  return found != store_.clusters().end() ? &*found : nullptr;
}

Campaign::Shape Campaign::shapeOf(const language::Case& theCase) {
  return {analysis::signatureOf(theCase), analysis::flatten(theCase)};
}

Campaign::Suppressed Campaign::suppressedBy(const worker::Symptom& symptom, const Shape& shape,
                                            worker::BackendResult& result) {
  for (const store::KnownCluster& cluster : store_.clusters()) {
    if (!suppressionMatches(cluster, shape.program, symptom) &&
        (cluster.symptom != symptom || !analysis::isContained(cluster.signature, shape.signature))) {
      continue;
    }
    if (++memory_.suppressedHits[cluster.id] % kSuppressedChecked == 0) {
      return Suppressed::kChecked;
    }
    // Not a hit: what it comes down to was not looked at.
    store_.note(cluster.id, result.backend, store::SightingKind::kSuppressed);
    result.outcome = memory_.newClusters.count(cluster.id) == 0 ? Outcome::kKnown : Outcome::kSuppressed;
    result.detail = cluster.id;
    return Suppressed::kYes;
  }
  return Suppressed::kNo;
}

void Campaign::handleFinding(const std::string& foundBy, const std::string& caseText, worker::BackendResult& result) {
  if (isReportedOnce(result)) {
    return;
  }
  Shape shape;
  if (!caseText.empty()) {
    shape = shapeOf(parser::parsePrinted(caseText));
  }
  const worker::Symptom symptom = worker::symptomOf(result);
  if (isKnown(symptom, shape, result)) {
    return;
  }
  const Suppressed suppressed = caseText.empty() ? Suppressed::kNo : suppressedBy(symptom, shape, result);
  if (suppressed == Suppressed::kYes) {
    return;
  }
  activity_ = "confirming a finding";
  const triage::Confirmation confirmation =
      caseText.empty() ? triage::Confirmation{} : triage::confirm(pool_, caseText, result);
  activity_.clear();
  if (!confirmation.recurs) {
    memory_.unconfirmed.push_back(fmt::format("{}: {} {}", foundBy, result.backend, result.text));
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
  const bool diedInBackend = result.baseOutcome != confirmation.result.baseOutcome; // it knows its base only now
  result.baseOutcome = confirmation.result.baseOutcome;
  if (!diedInBackend || !isOld(shape, result, suppressed)) {
    reduceAndStore(foundBy, caseText, worker::symptomOf(result), result);
  }
}

bool Campaign::isOld(const Shape& shape, worker::BackendResult& result, Suppressed before) {
  const worker::Symptom symptom = worker::symptomOf(result);
  return isKnown(symptom, shape, result) ||
         (before == Suppressed::kNo && suppressedBy(symptom, shape, result) == Suppressed::kYes);
}

bool Campaign::isReportedOnce(const worker::BackendResult& result) const {
  return result.outcome == Outcome::kNoneBecameZero && memory_.noneBecameZero.count(result.backend) != 0;
}

baseline::IsKnown Campaign::suppressedOtherwise(const language::Case& start, const worker::Symptom& symptom) const {
  const std::vector<const baseline::KnownEntry*> ofStart = suppressionsThatMatch(analysis::flatten(start), symptom);
  return [this, ofStart](const language::Case& theCase, const worker::Symptom& shown) {
    return baseline::holdsAnother(suppressionsThatMatch(analysis::flatten(theCase), shown), ofStart);
  };
}

void Campaign::proposeSuppressionFor(const report::Finding& finding) {
  const ir::Family family = backends::backendInfo(finding.symptom.backend).family;
  const bool isAsked =
      options_.suppressions == "all" || (options_.suppressions == "native" && family == ir::Family::kNative);
  // Hundreds of neighbours that hang, or fill the memory, would take minutes.
  const bool isDear = options_.suppressions != "all" && triage::endedProcess(finding.result.outcome);
  if (!isAsked || isDear || secondsLeft() < kGraceSeconds || base::interruptRequested() ||
      analysis::flatten(finding.reduced).operations.size() > triage::kMostSuppressedOperations) {
    return;
  }
  activity_ = "proposing a suppression for " + finding.id;
  try {
    baseline::KnownFindings suppressions =
        triage::suppressionsBeside(options_.findings, finding.id); // of one that was fixed and is back
    if (suppressions.entries().empty()) {
      const triage::SuppressionProposal proposal =
          triage::proposeSuppression(finding.reduced, triage::neighbourJudge(pool_, finding.symptom));
      if (proposal.isSafe()) {
        triage::writeSuppressionBeside(options_.findings, finding, proposal,
                                       options_.today.empty() ? baseline::todayUtc() : options_.today);
        suppressions = triage::suppressionsBeside(options_.findings, finding.id);
      }
    }
    suppressions_[finding.id] = std::move(suppressions);
  } catch (const base::Interrupted&) { // the finding is there without one
  } catch (const base::WrongUse& error) {
    display_.say(fmt::format("The suppression of {} is left out: {}", finding.id, error.what()));
  }
  activity_.clear();
}

std::optional<report::Rung> Campaign::findStage(const report::Finding& finding) {
  if (base::interruptRequested()) {
    return std::nullopt;
  }
  activity_ = "climbing the ladder of " + finding.symptom.backend;
  std::optional<report::Rung> stage;
  try {
    const ir::Family family = backends::backendInfo(finding.symptom.backend).family;
    stage = triage::stageOf(standalone::printCase(finding.reduced), finding.result, pool::runnerOf(pool_, family));
  } catch (const base::Interrupted&) { // the finding is stored without it
  }
  activity_.clear();
  return stage;
}

void Campaign::reduceAndStore(const std::string& foundBy, const std::string& caseText, const worker::Symptom& symptom,
                              worker::BackendResult& result) {
  report::Finding finding;
  finding.symptom = symptom;
  finding.foundBy = foundBy;
  finding.profileFlags = profileFlagsOf(options_.profileFile);
  finding.profile = std::filesystem::path(options_.profileFile).filename();
  finding.result = result;
  finding.reduced = parser::parsePrinted(caseText);
  reducer::ReducerOptions options;
  options.seconds = std::min(options_.reduceSeconds, secondsLeft());
  const auto describe = [&](const language::Case& theCase) {
    activity_ =
        fmt::format("reducing {} ({})", symptom.line(),
                    base::counted(static_cast<int64_t>(analysis::signatureOf(theCase).operators.size()), "operator"));
  };
  describe(finding.reduced);
  options.onBetter = describe;
  reducer::OtherFindings others;
  const triage::SymptomJudge judge(
      pool_, result, finding.reduced,
      {.workers = options_.workers,
       .isExcluded = suppressedOtherwise(finding.reduced, symptom),
       .onOther = [&](const language::Case& other, const worker::BackendResult& shown) { others.add(other, shown); }});
  reducer::Reduction reduction = reducer::reduceCase(finding.reduced, triage::placeOf(result), judge, options);
  if (!base::interruptRequested()) { // nor asks it much where the time was up
    reduction.steps.push_back(reducer::withSecondCall(reduction.best(), judge));
  }
  activity_.clear();
  {
    // The message and the place are those of the reduced Case: the last step that still fails.
    const base::InterruptPause pause;
    if (const auto step = triage::confirmLast(pool_, reduction.steps, result, 1)) {
      finding.reduced = reduction.steps[step->step];
      const std::string base = finding.result.baseOutcome;
      finding.result = step->confirmation.result;
      finding.result.baseOutcome = finding.result.baseOutcome.empty() ? base : finding.result.baseOutcome;
    }
  }
  if (!reduction.isFinished) {
    reducer::noteUnfinished(finding.reduced);
  }
  const analysis::ProgramSignature signature = analysis::signatureOf(finding.reduced);
  finding.operations = static_cast<int>(signature.operators.size());
  finding.id = store::clusterId(symptom, signature);
  const std::string metWhile = fmt::format("{}, while reducing {}", foundBy, finding.id);
  if (const baseline::KnownEntry* entry = known_.byCluster(finding.id, symptom.backend)) {
    result.outcome = Outcome::kKnown;
    result.detail = entry->id;
    handleOthers(metWhile, others);
    return;
  }
  if (const store::KnownCluster* old = clusterOf(finding)) {
    countHit(old->id, result);
    replaceUnfinished(finding, old->id);
    handleOthers(metWhile, others);
    return;
  }
  finding.stage = findStage(finding);
  pool::noteImports(finding.reduced, finding.symptom.backend, options_.profile);
  try {
    store_.write(finding);
  } catch (const store::StoreError&) { // the summary has it at least
    memory_.findings.push_back(std::move(finding));
    throw;
  }
  replaceUnfinished(finding, finding.id);
  memory_.newClusters.insert(finding.id);
  if (result.outcome == Outcome::kNoneBecameZero) {
    memory_.noneBecameZero.insert(result.backend);
  }
  events_.finding(finding);
  display_.say(fmt::format("FINDING {} ({}): {}\n{}  {}", finding.id, base::counted(finding.operations, "operator"),
                           finding.symptom.line() + report::regressionText(finding),
                           finding.stage ? "  stage: " + report::stageText(finding.stage) + "\n" : "",
                           report::replayCommand(finding)));
  memory_.findings.push_back(finding);
  proposeSuppressionFor(finding);
  handleOthers(metWhile, others);
}

void Campaign::replaceUnfinished(const report::Finding& finding, const std::string& id) {
  for (const store::StoredFinding& each : store_.unfinishedOf(finding.foundBy, finding.symptom, id)) {
    events_.replaced(each.id, id); // first: what is told and is gone would be lost
    display_.say(fmt::format("{} is {} now: it had not been reduced to its end.", each.id, id));
    store_.remove(each);
  }
}

void Campaign::handleOthers(const std::string& foundBy, const reducer::OtherFindings& others) {
  if (handlesOthers_) {
    return;
  }
  handlesOthers_ = true;
  const std::shared_ptr<void> end(nullptr, [this](void*) { handlesOthers_ = false; });
  for (const reducer::OtherFinding& other : others.all()) {
    if (base::interruptRequested() || secondsLeft() < kGraceSeconds) {
      break;
    }
    const std::string text = standalone::printCase(other.theCase);
    const triage::Confirmation confirmation =
        triage::confirm(pool_, text, other.result); // weaker pipelines were not asked yet
    worker::BackendResult result = confirmation.result;
    const bool counts = confirmation.recurs && confirmation.upstream.empty() && language::isFinding(result.outcome);
    if (counts && !isReportedOnce(result) && !isOld(shapeOf(other.theCase), result)) {
      reduceAndStore(foundBy, text, worker::symptomOf(result), result);
    }
  }
}

} // namespace touchstone::campaign
