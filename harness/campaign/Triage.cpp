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
#include "program/parser/CaseParser.h"
#include "program/standalone/CaseFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace touchstone::campaign {

using language::Outcome;

Triage::Triage(const FuzzOptions& options, pool::WorkerPool& pool, store::FindingStore& store, Announcer& announcer,
               CampaignMemory& memory, std::function<double()> secondsLeft)
    : options_(options),
      pool_(pool),
      store_(store),
      announcer_(announcer),
      memory_(memory),
      secondsLeft_(std::move(secondsLeft)),
      recognition_(options, store, memory, announcer),
      runAlone_(triage::aloneIn(pool)) {}

Counted Triage::take(const std::string& caseText, const std::string& foundBy, const worker::BackendResult& result) {
  if (isReportedOnce(result)) {
    return {result.outcome, result.detail};
  }
  findings::Suspect suspect{.theCase = {}, .result = result, .foundBy = foundBy};
  Shape shape;
  if (!caseText.empty()) {
    suspect.theCase = parser::parsePrinted(caseText);
    shape = shapeOf(suspect.theCase);
  }
  const auto before = recognition_.recognize(shape, worker::symptomOf(result), /*byClusters=*/!caseText.empty());
  if (before.as.has_value()) {
    return *before.as;
  }
  announcer_.doing("confirming a finding");
  const bool isConfirmed = !caseText.empty() && findings::confirm(suspect, runAlone_);
  announcer_.doing("");
  if (!suspect.upstream.empty()) {
    return {Outcome::kUpstream, suspect.upstream};
  }
  if (!isConfirmed) {
    return keepUnconfirmed(caseText, suspect);
  }
  if (suspect.result.baseOutcome != result.baseOutcome) { // it died in the backend, and knows its base only now
    const auto now = recognition_.recognize(shape, worker::symptomOf(suspect.result), !before.isChecked);
    if (now.as.has_value()) {
      return *now.as;
    }
  }
  return reduceAndStore(std::move(suspect));
}

Counted Triage::keepUnconfirmed(const std::string& caseText, const findings::Suspect& suspect) {
  const worker::BackendResult& result = suspect.result;
  memory_.unconfirmed.push_back(fmt::format("{}: {} {}", suspect.foundBy, result.backend, result.text));
  announcer_.unconfirmed(suspect.foundBy, result);
  store_.writeUnconfirmed(caseText, suspect);
  return {Outcome::kUnconfirmed, result.detail};
}

Counted Triage::reduceAndStore(findings::Suspect suspect) {
  const Counted seen{suspect.result.outcome, suspect.result.detail};
  const std::string foundBy = suspect.foundBy;
  findings::OtherFindings others;
  report::Finding finding = reduced(std::move(suspect), others);
  const std::string metWhile = fmt::format("{}, while reducing {}", foundBy, finding.id);
  Counted counted = seen;
  if (const baseline::KnownEntry* entry = known().byCluster(finding.id, finding.symptom.backend)) {
    counted = {Outcome::kKnown, entry->id};
  } else if (const store::KnownCluster* old = recognition_.clusterOf(finding)) {
    counted = countHit(*old, finding, seen);
  } else {
    storeNew(std::move(finding), seen);
  }
  takeOthers(metWhile, others);
  return counted;
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
  findings::reduce(suspect, judge, runAlone_,
                   {.seconds = std::min(options_.reduceSeconds, secondsLeft_()), .onBetter = describe});
  announcer_.doing("");
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

Counted Triage::countHit(const store::KnownCluster& cluster, const report::Finding& finding, const Counted& seen) {
  const std::string id = cluster.id;
  store_.note(id, finding.symptom.backend, store::SightingKind::kAgain);
  for (report::Finding& each : memory_.findings) {
    each.hits += each.id == id ? 1 : 0;
  }
  replaceUnfinished(finding, id);
  return memory_.newClusters.count(id) == 0 ? Counted{Outcome::kKnown, id} : seen;
}

void Triage::storeNew(report::Finding finding, const Counted& seen) {
  finding.stage = stageOf(finding);
  findings::noteImports(finding.reduced, finding.symptom.backend, options_.profile);
  try {
    store_.write(finding);
  } catch (const store::StoreError&) { // the summary has it at least
    memory_.findings.push_back(std::move(finding));
    throw;
  }
  replaceUnfinished(finding, finding.id);
  memory_.newClusters.insert(finding.id);
  if (seen.outcome == Outcome::kNoneBecameZero) {
    memory_.noneBecameZero.insert(finding.symptom.backend);
  }
  announcer_.finding(finding);
  memory_.findings.push_back(finding);
  proposeSuppressionFor(finding);
}

bool Triage::isReportedOnce(const worker::BackendResult& result) const {
  return result.outcome == Outcome::kNoneBecameZero && memory_.noneBecameZero.count(result.backend) != 0;
}

void Triage::replaceUnfinished(const report::Finding& finding, const std::string& id) {
  for (const store::StoredFinding& each : store_.unfinishedOf(finding.foundBy, finding.symptom, id)) {
    announcer_.replaced(each.id, id); // first: what is told and is gone would be lost
    store_.remove(each);
  }
}

void Triage::takeOthers(const std::string& foundBy, const findings::OtherFindings& others) {
  if (!std::exchange(takesOthers_, false)) {
    return;
  }
  const std::shared_ptr<void> end(nullptr, [this](void*) { takesOthers_ = true; });
  for (const findings::OtherFinding& other : others.all()) {
    if (base::interruptRequested() || secondsLeft_() < kGraceSeconds) {
      break;
    }
    std::optional<findings::Suspect> suspect = findings::confirmedOther(other, foundBy, runAlone_);
    if (suspect.has_value() && !isReportedOnce(suspect->result) &&
        !recognition_.recognize(shapeOf(other.theCase), worker::symptomOf(suspect->result)).as.has_value()) {
      reduceAndStore(std::move(*suspect));
    }
  }
}

std::optional<report::Rung> Triage::stageOf(const report::Finding& finding) {
  if (base::interruptRequested()) {
    return std::nullopt;
  }
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
  if (!isAsked || isDear || secondsLeft_() < kGraceSeconds || base::interruptRequested() ||
      analysis::flatten(finding.reduced).operations.size() > triage::kMostSuppressedOperations) {
    return;
  }
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
