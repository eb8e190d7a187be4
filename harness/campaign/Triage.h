#pragma once

#include "harness/campaign/Recognition.h"
#include "harness/findings/FindingPipeline.h"
#include "harness/pool/WorkerPool.h"

#include <functional>
#include <optional>
#include <string>

namespace touchstone::campaign {

/// What becomes of the failing Cases of a campaign: confirmed, told from what is known, reduced, stored, told.
class Triage {
 public:
  /// `secondsLeft`: until the campaign has to end.
  Triage(const FuzzOptions& options, pool::WorkerPool& pool, store::FindingStore& store, Announcer& announcer,
         CampaignMemory& memory, std::function<double()> secondsLeft);

  /// Deals with what a backend shows of a Case; the text is empty where it could not be printed. Returns what it counts as. What
  /// is new is stored first, then told, then remembered. Throws Interrupted, StoreError.
  Counted take(const std::string& caseText, const std::string& foundBy, const worker::BackendResult& result);
  const baseline::KnownFindings& known() const { return recognition_.known(); }

 private:
  Counted keepUnconfirmed(const std::string& caseText, const findings::Suspect& suspect);
  Counted reduceAndStore(findings::Suspect suspect);
  report::Finding reduced(findings::Suspect suspect, findings::OtherFindings& others);
  Counted countHit(const store::KnownCluster& cluster, const report::Finding& finding, const Counted& seen);
  void storeNew(report::Finding finding, const Counted& seen);
  bool isReportedOnce(const worker::BackendResult& result) const; // one cause, reported once a campaign
  /// What an interrupt had left half-reduced of the same Case is the finding `id` now.
  void replaceUnfinished(const report::Finding& finding, const std::string& id);
  /// What failed in another way while a finding was reduced is dealt with as a finding; what that meets is not.
  void takeOthers(const std::string& foundBy, const findings::OtherFindings& others);
  /// The reduced Case, judged under the weaker pipelines, too; once a cluster.
  std::optional<report::Rung> stageOf(const report::Finding& finding);
  /// Proposes a suppression for a new finding, where that costs little or is asked for, and keeps it when it is safe.
  void proposeSuppressionFor(const report::Finding& finding);

  const FuzzOptions& options_;
  pool::WorkerPool& pool_;
  store::FindingStore& store_;
  Announcer& announcer_;
  CampaignMemory& memory_;
  const std::function<double()> secondsLeft_;
  Recognition recognition_;
  const findings::RunAlone runAlone_;
  bool takesOthers_ = true;
};

constexpr double kGraceSeconds = 10; // for what is on its way when the time is up

} // namespace touchstone::campaign
