#pragma once

#include "harness/baseline/KnownFindings.h"
#include "harness/campaign/CampaignOptions.h"
#include "harness/campaign/CampaignRecord.h"
#include "harness/campaign/CaseStream.h"
#include "harness/campaign/Coverage.h"
#include "harness/campaign/EventLog.h"
#include "harness/pool/WorkerPool.h"
#include "harness/reducer/OtherFindings.h"
#include "harness/report/ProgressDisplay.h"
#include "harness/report/Report.h"
#include "harness/store/FindingStore.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::campaign {

/// What a campaign made of its Cases.
struct CampaignResult {
  report::Report report;
  bool interrupted = false;
  std::string failure; // why it ended before its time: what it found could not be stored
  std::vector<std::string> unconfirmed; // a line each
};

/// What a campaign takes up beside its options.
struct CampaignStart {
  std::vector<store::SeedCasePtr> corpus; // that Cases are derived from
  std::optional<CampaignRecord> record; // where it goes on; none: it begins
  std::filesystem::path recordFile; // where its state is written; empty: nowhere
  std::string id; // in the store
};

/// The loop of `touchstone fuzz`: Cases from the stream, in order, whatever worker was faster; what differs is confirmed,
/// told from what is known, reduced, and stored. The same options give the same findings with any number of workers, as
/// long as reducing is not cut short by time and Cases do not depend on those before (FuzzOptions::usesFeedback()).
///
/// The state is written after Cases, never in the midst of one: a campaign that was ended at any moment and goes on from
/// there comes to the same end. What is found is in the store before it is told, and what is counted before the state says so.
class Campaign {
 public:
  Campaign(const FuzzOptions& options, uint64_t seed, pool::WorkerPool& pool, store::FindingStore& store,
           EventLog& events, CampaignStart start = {});
  CampaignResult run();

 private:
  StreamOptions streamOptions(const CampaignStart& start);
  void takeCase(FinishedCase finished);
  void judgeCase(const FinishedCase& finished, worker::JobResult& result);
  /// `seed 7 case 12`, and what it was derived from.
  std::string originOf(const FinishedCase& finished, const std::string& derivation) const;
  bool isKept(const FinishedCase& finished) const; // what it was derived from
  void keepEagerDeath(const FinishedCase& finished, const worker::JobResult& result,
                      const worker::BackendResult& backend);
  void handleFinding(const std::string& foundBy, const std::string& caseText, worker::BackendResult& result);
  /// What a finding is told from what is known by.
  struct Shape {
    analysis::ProgramSignature signature;
    analysis::FlatProgram program;
  };
  static Shape shapeOf(const language::Case& theCase);
  /// The file of known findings has it: Known, or Suppressed by a pattern.
  bool isKnown(const worker::Symptom& symptom, const Shape& shape, worker::BackendResult& result) const;
  /// A cluster of the same backend has a suppression that matches, or it has the symptom, and a signature that is in the Program:
  /// Suppressed, or Known where the cluster is not of this campaign, and looked at no further, most of the time.
  enum class Suppressed { kNo, kYes, kChecked }; // the last: one of those that are looked at all the same
  Suppressed suppressedBy(const worker::Symptom& symptom, const Shape& shape, worker::BackendResult& result);
  /// Known or suppressed, of a confirmed finding of which less was known `before`.
  bool isOld(const Shape& shape, worker::BackendResult& result, Suppressed before = Suppressed::kNo);
  bool isReportedOnce(const worker::BackendResult& result) const; // one cause, reported once a campaign
  /// Suppressions that match: of the file of known findings, and of clusters with this backend and origin.
  std::vector<const baseline::KnownEntry*> suppressionsThatMatch(const analysis::FlatProgram& program,
                                                                 const worker::Symptom& symptom) const;
  const baseline::KnownFindings* suppressionsFor(const store::KnownCluster& cluster,
                                                 const worker::Symptom& symptom) const; // null: none are about it
  bool suppressionMatches(const store::KnownCluster& cluster, const analysis::FlatProgram& program,
                          const worker::Symptom& symptom) const;
  /// The cluster that a reduced finding is a hit of: its own, or one whose suppression matches it still, though it was looked at all
  /// the same, and that fails in the same way; null: it is new, or was fixed.
  const store::KnownCluster* clusterOf(const report::Finding& finding) const;
  /// For the reducer: a candidate that a suppression matches is another finding, unless that suppression matches the start, too.
  baseline::IsKnown suppressedOtherwise(const language::Case& start, const worker::Symptom& symptom) const;
  /// Proposes a suppression for a new finding, where that costs little or is asked for, and keeps it when it is safe.
  void proposeSuppressionFor(const report::Finding& finding);
  void countHit(const std::string& id, worker::BackendResult& result);
  void reduceAndStore(const std::string& foundBy, const std::string& caseText, const worker::Symptom& symptom,
                      worker::BackendResult& result);
  /// What an interrupt had left half-reduced of the same Case is the finding `id` now.
  void replaceUnfinished(const report::Finding& finding, const std::string& id);
  /// What failed in another way while a finding was reduced is dealt with as a finding; what that meets is not.
  void handleOthers(const std::string& foundBy, const reducer::OtherFindings& others);
  /// The reduced Case, judged under the weaker pipelines, too; once a cluster.
  std::optional<report::Rung> findStage(const report::Finding& finding);
  void writeState(uint64_t position, const CampaignMemory& memory, bool finished = false);
  void tick();
  double secondsLeft() const; // grace included

  const FuzzOptions& options_;
  const uint64_t seed_;
  pool::WorkerPool& pool_;
  store::FindingStore& store_;
  EventLog& events_;
  const baseline::KnownFindings known_;
  std::map<std::string, baseline::KnownFindings> suppressions_; // of clusters, by id: proposed from their reduced Cases
  const std::vector<store::SeedCasePtr> corpus_;
  const std::filesystem::path recordFile_;
  const std::string id_;
  Coverage coverage_;
  CaseStream stream_;
  report::ProgressDisplay display_;
  report::Tally tally_;
  CampaignMemory memory_;
  int64_t derivedFromKept_ = 0;
  bool handlesOthers_ = false;
  bool stateIsFinal_ = false; // an interrupt came in the midst of a Case: what was written before it stays
  double nextWrite_ = 0;
  double begin_ = 0; // as if it had never been ended
  std::string activity_;
};

} // namespace touchstone::campaign
