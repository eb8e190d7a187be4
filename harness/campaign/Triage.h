#pragma once

#include "harness/campaign/Recognition.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/pool/WorkerPool.h"

#include <functional>
#include <optional>
#include <string>

namespace touchstone::campaign {

/// What triage asks of the campaign that it is beside.
struct TriageHooks {
  std::function<double()> secondsLeft; // until the campaign has to end
  /// Judges the next Case, and gives what fails to take(); false: there is none, or it is time to end.
  std::function<bool()> judgeNext;
  /// A Case of that backend that was counted as the first counts as the second.
  std::function<void(const std::string& backend, const Counted& before, const Counted& after)> recount;
  /// The state to go on from, where an interrupt or the time ends what is under way: it will be dealt with again.
  std::function<void(const CampaignMemory&)> endState;
};

/// What becomes of the failing Cases of a campaign. take() tells them from what is known, and confirms those with a new symptom at
/// once; then they wait in CampaignMemory::queue. work() reduces, names the stage, stores and tells, worst first, and lets Cases be
/// judged in between.
class Triage {
 public:
  Triage(const FuzzOptions& options, pool::WorkerPool& pool, store::FindingStore& store, Announcer& announcer,
         CampaignMemory& memory, TriageHooks hooks);

  /// Looks at what a backend shows of a Case; the text is empty where it could not be printed. Returns what it counts as. Throws
  /// Interrupted, StoreError.
  Counted take(const std::string& caseText, const std::string& foundBy, const worker::BackendResult& result);
  /// Deals with the one whose turn it is; false: it is nobody's. What is new is stored first, then told, then remembered. Throws
  /// Interrupted, StoreError.
  bool work(bool casesAreOver);
  /// Stores what was confirmed and for which there was no time, one for each symptom that no finding has, as it is and with a note.
  void storeUnreduced();
  const baseline::KnownFindings& known() const { return recognition_.known(); }

 private:
  /// Confirms it. What it counts as where it does not go on; none: it does.
  std::optional<Counted> confirm(WaitingSuspect& suspect, const Shape& shape);
  Counted keepUnconfirmed(const std::string& caseText, const findings::Suspect& suspect);
  void addOthers(const std::string& foundBy, const findings::OtherFindings& others);
  bool confirmOther(WaitingSuspect& suspect);
  /// What it counts as from now on; none: as before. `before`: what was remembered before that came to be known.
  std::optional<Counted> dealWith(WaitingSuspect& suspect, std::optional<CampaignMemory>& before);
  std::optional<Counted> reduceAndStore(WaitingSuspect& suspect, std::optional<CampaignMemory>& before);
  report::Finding reduced(findings::Suspect suspect, findings::OtherFindings& others);
  report::Finding findingOf(findings::Suspect suspect, const worker::Symptom& symptom) const;
  /// Lets Cases be judged until the next candidates are paid for.
  void letCasesBeJudged();
  void countHit(const store::KnownCluster& cluster, const report::Finding& finding);
  void storeNew(report::Finding finding);
  /// It counts as something else than when its Case was judged.
  void recount(const WaitingSuspect& suspect, const Counted& after);
  bool isReportedOnce(const worker::BackendResult& result) const; // one cause, reported once a campaign
  /// What an interrupt had left half-reduced of the same Case is the finding `id` now.
  void replaceUnfinished(const std::string& foundBy, const worker::Symptom& symptom, const std::string& id);
  /// The reduced Case, judged under the weaker pipelines, too; once a cluster.
  std::optional<report::Rung> stageOf(const report::Finding& finding);
  /// Proposes a suppression for a new finding, where that costs little or is asked for, and keeps it when it is safe.
  void proposeSuppressionFor(const report::Finding& finding);

  const FuzzOptions& options_;
  pool::WorkerPool& pool_;
  store::FindingStore& store_;
  Announcer& announcer_;
  CampaignMemory& memory_;
  const TriageHooks hooks_;
  Recognition recognition_;
  const findings::RunAlone runAlone_;
  double secondsOfCases_ = 0; // that reducing waited for
  bool isCutByTime_ = false; // the time was up while one was reduced, and nothing comes behind it
};

constexpr double kGraceSeconds = 10; // for what is on its way when the time is up

} // namespace touchstone::campaign
