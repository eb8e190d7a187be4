#pragma once

#include "harness/CaseStream.h"
#include "harness/EventLog.h"
#include "harness/FindingStore.h"
#include "harness/FuzzCommand.h"
#include "harness/ProgressDisplay.h"
#include "harness/Report.h"
#include "harness/WorkerPool.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace touchstone::harness {

/// What a campaign made of its Cases.
struct CampaignResult {
  Report report;
  bool interrupted = false;
  std::vector<std::string> unconfirmed; // a line each
};

/// The loop of `touchstone fuzz`: Cases from the stream, in order, whatever worker was faster; what differs is confirmed,
/// told from what is known, reduced, and stored. The same options give the same findings with any number of workers, as
/// long as reducing is not cut short by time.
class Campaign {
 public:
  Campaign(const FuzzOptions& options, uint64_t seed, WorkerPool& pool, FindingStore& store, EventLog& events);
  CampaignResult run();

 private:
  void takeCase(uint64_t index, JobResult result);
  void handleFinding(const std::string& foundBy, const std::string& caseText, BackendResult& result);
  /// A cluster with this symptom has a skeleton that is in the Program: Masked, or Known where the cluster is not of this
  /// campaign, and looked at no further, most of the time.
  bool isMasked(const Symptom& symptom, const Skeleton& skeleton, BackendResult& result);
  void countHit(const std::string& id, BackendResult& result);
  void reduceAndStore(const std::string& foundBy, const std::string& caseText, const Symptom& symptom,
                      BackendResult& result);
  /// The reduced Case, judged under the weaker pipelines, too; once a cluster.
  std::optional<Rung> findStage(const Finding& finding);
  void tick();
  double secondsLeft() const; // grace included

  const FuzzOptions& options_;
  const uint64_t seed_;
  WorkerPool& pool_;
  FindingStore& store_;
  EventLog& events_;
  KnownList known_;
  CaseStream stream_;
  ProgressDisplay display_;
  CampaignResult result_;
  double begin_ = 0;
  std::set<std::string> newClusters_;
  std::map<std::string, int64_t> maskedHits_; // by cluster
  std::set<std::string> noneBecameZero_; // backends of which it was reported
  std::string activity_;
};

} // namespace touchstone::harness
