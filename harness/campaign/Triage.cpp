#include "harness/campaign/Triage.h"

#include "backends/Registry.h"
#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "base/Words.h"
#include "harness/pool/ProfileFlags.h"
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
#include <memory>
#include <utility>

namespace touchstone::campaign {

namespace {

using language::Outcome;

// What is done beside reducing, in candidates.
constexpr int64_t kConfirming = 4, kClimbing = 4, kSuppressing = 100;
constexpr double kEndOfTime = 1e18;

} // namespace

Triage::Triage(const FuzzOptions& options, pool::WorkerPool& pool, store::FindingStore& store, Announcer& announcer,
               CampaignMemory& memory, TriageHooks hooks)
    : options_(options),
      pool_(pool),
      store_(store),
      announcer_(announcer),
      memory_(memory),
      hooks_(std::move(hooks)),
      recognition_(options, store, memory, announcer),
      runAlone_(triage::aloneIn(pool)) {}

Counted Triage::take(const std::string& caseText, const std::string& foundBy, const worker::BackendResult& result) {
  WaitingSuspect suspect{.caseText = caseText, .foundBy = foundBy, .result = result};
  const Counted seen{result.outcome, result.detail};
  if (isReportedOnce(result) || memory_.queue.hasZeroLike(result)) {
    return seen;
  }
  const Shape shape = caseText.empty() ? Shape() : shapeOf(parser::parsePrinted(caseText));
  const auto known = recognition_.recognize(shape, suspect.symptom(), /*byClusters=*/!caseText.empty());
  if (known.as.has_value()) {
    return *known.as;
  }
  suspect.isChecked = known.isChecked;
  if (caseText.empty() || memory_.queue.isFirst(suspect.symptom())) {
    if (const std::optional<Counted> counted = confirm(suspect, shape)) {
      return *counted;
    }
    if (suspect.severity() != language::Severity::kNoneAndZero) { // that one is told when its turn comes
      announcer_.confirmed(foundBy, suspect.symptom());
    }
  }
  memory_.queue.add(std::move(suspect));
  return seen;
}

std::optional<Counted> Triage::confirm(WaitingSuspect& waiting, const Shape& shape) {
  findings::Suspect suspect{.theCase = {}, .result = waiting.result, .foundBy = waiting.foundBy};
  announcer_.doing("confirming a finding");
  if (!waiting.caseText.empty()) {
    suspect.theCase = parser::parsePrinted(waiting.caseText);
    waiting.isConfirmed = findings::confirm(suspect, runAlone_);
  }
  announcer_.doing("");
  if (!suspect.upstream.empty()) {
    return Counted{Outcome::kUpstream, suspect.upstream};
  }
  if (!waiting.isConfirmed) {
    return keepUnconfirmed(waiting.caseText, suspect);
  }
  if (suspect.result.baseOutcome != waiting.result.baseOutcome) { // it died in the backend, and knows its base only now
    waiting.result = suspect.result;
    const auto now = recognition_.recognize(shape, waiting.symptom(), !waiting.isChecked);
    waiting.isChecked = waiting.isChecked || now.isChecked;
    return now.as;
  }
  return std::nullopt;
}

Counted Triage::keepUnconfirmed(const std::string& caseText, const findings::Suspect& suspect) {
  const worker::BackendResult& result = suspect.result;
  memory_.unconfirmed.push_back(fmt::format("{}: {} {}", suspect.foundBy, result.backend, result.text));
  announcer_.unconfirmed(suspect.foundBy, result);
  store_.writeUnconfirmed(caseText, suspect);
  return {Outcome::kUnconfirmed, result.detail};
}

void Triage::addOthers(const std::string& foundBy, const findings::OtherFindings& others) {
  for (const findings::OtherFinding& other : others.all()) {
    WaitingSuspect suspect{
        .caseText = standalone::printCase(other.theCase), .foundBy = foundBy, .result = other.result};
    suspect.isOther = true;
    if (isReportedOnce(other.result) || memory_.queue.hasZeroLike(other.result) ||
        (memory_.queue.isFirst(suspect.symptom()) && !base::interruptRequested() && !confirmOther(suspect))) {
      continue;
    }
    memory_.queue.add(std::move(suspect));
  }
}

bool Triage::confirmOther(WaitingSuspect& waiting) {
  const std::optional<findings::Suspect> suspect =
      findings::confirmedOther({parser::parsePrinted(waiting.caseText), waiting.result}, waiting.foundBy, runAlone_);
  memory_.queue.spend(kConfirming);
  waiting.isConfirmed = suspect.has_value();
  if (waiting.isConfirmed) {
    waiting.result = suspect->result;
  }
  return waiting.isConfirmed;
}

bool Triage::work(bool casesAreOver) {
  WaitingSuspect* suspect = memory_.queue.resume();
  suspect = suspect != nullptr ? suspect : memory_.queue.begin(casesAreOver);
  if (suspect == nullptr) {
    return false;
  }
  std::optional<CampaignMemory> before; // what it comes to
  std::optional<Counted> after;
  try {
    after = dealWith(*suspect, before);
  } catch (const base::Interrupted&) {
    hooks_.endState(before.has_value() ? *before : memory_);
    throw;
  }
  if (base::interruptRequested() || isCutByTime_) { // or may have been cut by the interrupt
    hooks_.endState(before.has_value() ? *before : memory_);
  }
  if (after.has_value()) { // behind the state in which it will be dealt with again
    recount(*suspect, *after);
  }
  if (!isCutByTime_) { // else it is still waiting
    memory_.queue.end();
  }
  return true;
}

std::optional<Counted> Triage::dealWith(WaitingSuspect& suspect, std::optional<CampaignMemory>& before) {
  store_.beginCase(suspect.ofCase());
  if (isReportedOnce(suspect.result)) {
    return std::nullopt;
  }
  const Shape shape = shapeOf(parser::parsePrinted(suspect.caseText));
  if (!suspect.isConfirmed) {
    if (suspect.isOther) {
      if (!confirmOther(suspect)) {
        return std::nullopt;
      }
    } else {
      const std::optional<Counted> counted = confirm(suspect, shape);
      memory_.queue.spend(kConfirming);
      if (counted.has_value()) {
        return counted;
      }
    }
  }
  if (!suspect.isChecked) { // what is known by now
    const auto known = recognition_.recognize(shape, suspect.symptom());
    if (known.as.has_value()) {
      replaceUnfinished(suspect.foundBy, suspect.symptom(), known.as->detail);
      return known.as;
    }
    suspect.isChecked = known.isChecked;
  }
  return reduceAndStore(suspect, before);
}

std::optional<Counted> Triage::reduceAndStore(WaitingSuspect& suspect, std::optional<CampaignMemory>& before) {
  findings::OtherFindings others;
  report::Finding finding =
      reduced({.theCase = parser::parsePrinted(suspect.caseText), .result = suspect.result, .foundBy = suspect.foundBy},
              others);
  before = memory_;
  store_.beginCase(suspect.ofCase()); // others were judged meanwhile
  const std::string metWhile = suspect.foundBy + std::string(findings::kWhileReducing) + finding.id;
  std::optional<Counted> after;
  if (const baseline::KnownEntry* entry = known().byCluster(finding.id, finding.symptom.backend)) {
    replaceUnfinished(finding.foundBy, finding.symptom, entry->id);
    after = {Outcome::kKnown, entry->id};
  } else if (const store::KnownCluster* old = recognition_.clusterOf(finding)) {
    const std::string id = old->id;
    countHit(*old, finding);
    if (memory_.newClusters.count(id) == 0) {
      after = {Outcome::kKnown, id};
    }
  } else {
    storeNew(std::move(finding));
  }
  if (!suspect.isOther) {
    addOthers(metWhile, others);
  }
  return after;
}

void Triage::letCasesBeJudged() {
  const double begin = worker::wallSeconds();
  while (!memory_.queue.mayGoOn() && hooks_.judgeNext()) {
  }
  secondsOfCases_ += worker::wallSeconds() - begin;
}

report::Finding Triage::reduced(findings::Suspect suspect, findings::OtherFindings& others) {
  const worker::Symptom symptom = worker::symptomOf(suspect.result);
  const auto describe = [&](const language::Case& theCase) {
    announcer_.doing(
        fmt::format("reducing {} ({})", symptom.line(),
                    base::counted(static_cast<int64_t>(analysis::signatureOf(theCase).operators.size()), "operator")));
  };
  describe(suspect.theCase);
  const triage::SymptomJudge judge(
      pool_, suspect.result, suspect.theCase,
      {.workers = options_.workers,
       .isExcluded = recognition_.suppressedOtherwise(suspect.theCase, symptom),
       .onOther = [&](const language::Case& other, const worker::BackendResult& shown) { others.add(other, shown); }});
  const auto judgeInTurn = [&](const std::vector<language::Case>& candidates) {
    letCasesBeJudged();
    const std::optional<reducer::Sighting> sighting = judge(candidates);
    memory_.queue.spendOnReduction(
        static_cast<int64_t>(sighting.has_value() ? sighting->candidate + 1 : candidates.size()));
    return sighting;
  };
  findings::reduce(
      suspect, judgeInTurn, runAlone_,
      {.seconds = options_.reduceSeconds,
       .clock = [this] { return hooks_.secondsLeft() > 0 ? worker::wallSeconds() - secondsOfCases_ : kEndOfTime; },
       .onBetter = describe});
  isCutByTime_ = !suspect.isFinished && hooks_.secondsLeft() <= 0;
  announcer_.doing("");
  return findingOf(std::move(suspect), symptom);
}

report::Finding Triage::findingOf(findings::Suspect suspect, const worker::Symptom& symptom) const {
  const analysis::ProgramSignature signature = analysis::signatureOf(suspect.theCase);
  report::Finding finding;
  finding.id = store::clusterId(symptom, signature);
  finding.symptom = symptom;
  finding.result = std::move(suspect.result);
  finding.reduced = std::move(suspect.theCase);
  finding.operations = static_cast<int>(signature.operators.size());
  finding.foundBy = std::move(suspect.foundBy);
  finding.profile = std::filesystem::path(options_.profileFile).filename();
  finding.profileFlags = pool::ProfileFlags{.file = options_.profileFile}.commandLine();
  return finding;
}

void Triage::countHit(const store::KnownCluster& cluster, const report::Finding& finding) {
  const std::string id = cluster.id;
  store_.note(id, finding.symptom.backend, store::SightingKind::kAgain);
  for (report::Finding& each : memory_.findings) {
    each.hits += each.id == id ? 1 : 0;
  }
  replaceUnfinished(finding.foundBy, finding.symptom, id);
}

void Triage::storeNew(report::Finding finding) {
  finding.stage = stageOf(finding);
  findings::noteImports(finding.reduced, finding.symptom.backend, options_.profile);
  try {
    store_.write(finding);
  } catch (const store::StoreError&) { // the summary has it at least
    memory_.findings.push_back(std::move(finding));
    throw;
  }
  replaceUnfinished(finding.foundBy, finding.symptom, finding.id);
  memory_.newClusters.insert(finding.id);
  if (finding.result.outcome == Outcome::kNoneBecameZero) {
    memory_.noneBecameZero.insert(finding.symptom.backend);
  }
  announcer_.finding(finding);
  memory_.findings.push_back(finding);
  proposeSuppressionFor(finding);
}

void Triage::storeUnreduced() {
  for (const WaitingSuspect& each : memory_.queue.inOrder()) {
    if (options_.maximumFindings > 0 && memory_.findings.size() >= options_.maximumFindings) {
      return;
    }
    const worker::Symptom symptom = each.symptom();
    const bool isTold = std::any_of(memory_.findings.begin(), memory_.findings.end(),
                                    [&](const report::Finding& finding) { return finding.symptom == symptom; });
    if (isTold || !each.isConfirmed || isReportedOnce(each.result)) {
      continue;
    }
    findings::Suspect suspect{
        .theCase = parser::parsePrinted(each.caseText), .result = each.result, .foundBy = each.foundBy};
    findings::noteUnfinished(suspect.theCase);
    findings::noteImports(suspect.theCase, each.result.backend, options_.profile);
    report::Finding finding = findingOf(std::move(suspect), symptom);
    if (recognition_.clusterOf(finding) == nullptr) {
      store_.write(finding);
      announcer_.finding(finding);
      memory_.findings.push_back(std::move(finding));
    }
  }
}

void Triage::recount(const WaitingSuspect& suspect, const Counted& after) {
  if (!suspect.isOther) {
    hooks_.recount(suspect.result.backend, {suspect.result.outcome, suspect.result.detail}, after);
  }
}

bool Triage::isReportedOnce(const worker::BackendResult& result) const {
  return result.outcome == Outcome::kNoneBecameZero && memory_.noneBecameZero.count(result.backend) != 0;
}

void Triage::replaceUnfinished(const std::string& foundBy, const worker::Symptom& symptom, const std::string& id) {
  for (const store::StoredFinding& each : store_.unfinishedOf(foundBy, symptom, id)) {
    announcer_.replaced(each.id, id); // first: what is told and is gone would be lost
    store_.remove(each);
  }
}

std::optional<report::Rung> Triage::stageOf(const report::Finding& finding) {
  if (base::interruptRequested()) {
    return std::nullopt;
  }
  memory_.queue.spend(kClimbing);
  announcer_.doing("climbing the ladder of " + finding.symptom.backend);
  std::optional<report::Rung> stage;
  try {
    const ir::Family family = backends::backendInfo(finding.symptom.backend).family;
    stage = triage::stageOf(standalone::printCase(finding.reduced), finding.result, pool::runnerOf(pool_, family));
  } catch (const base::Interrupted&) { // the finding is stored without it
  }
  announcer_.doing("");
  return stage;
}

void Triage::proposeSuppressionFor(const report::Finding& finding) {
  const ir::Family family = backends::backendInfo(finding.symptom.backend).family;
  const bool isAsked =
      options_.suppressions == "all" || (options_.suppressions == "native" && family == ir::Family::kNative);
  // Hundreds of neighbours that hang, or fill the memory, would take minutes.
  const bool isDear = options_.suppressions != "all" && triage::endedProcess(finding.result.outcome);
  if (!isAsked || isDear || hooks_.secondsLeft() < kGraceSeconds || base::interruptRequested() ||
      analysis::flatten(finding.reduced).operations.size() > triage::kMostSuppressedOperations) {
    return;
  }
  memory_.queue.spend(kSuppressing);
  announcer_.doing("proposing a suppression for " + finding.id);
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
    recognition_.addSuppressions(finding.id, std::move(suppressions));
  } catch (const base::Interrupted&) { // the finding is there without one
  } catch (const base::WrongUse& error) {
    announcer_.say(fmt::format("The suppression of {} is left out: {}", finding.id, error.what()));
  }
  announcer_.doing("");
}

} // namespace touchstone::campaign
