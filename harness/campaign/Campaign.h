#pragma once

#include "harness/campaign/CaseStream.h"
#include "harness/campaign/Triage.h"
#include "harness/report/Report.h"

#include <filesystem>
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

/// The loop of `touchstone fuzz`: Cases from the stream, in order, whatever worker was faster; what differs goes to the Triage,
/// which confirms it, and in its turn reduces and stores it, between Cases and once these are over. The same options give the same findings with any number of workers, as
/// long as reducing is not cut short by time and Cases do not depend on those before (FuzzOptions::usesFeedback()).
///
/// The state is written after Cases, never in the midst of one, with the queue of what is still to be dealt with: a campaign that was ended at any moment and goes on from
/// there comes to the same end. What is found is in the store before it is told, and what is counted before the state says so.
class Campaign {
 public:
  Campaign(const FuzzOptions& options, uint64_t seed, pool::WorkerPool& pool, store::FindingStore& store,
           EventLog& events, CampaignStart start = {});
  CampaignResult run();

 private:
  StreamOptions streamOptions(uint64_t first);
  TriageHooks hooks();
  bool judgeNext(); // false: there is none, or it is time to end
  void judgeAndTriage();
  /// What a backend of one's own did not get through when its workers started, before all other Cases. Only what fails is
  /// counted, as a Case more.
  void judgeStart();
  bool workOnSuspect(bool casesAreOver); // false: on none
  bool isEnough() const;
  void takeCase(FinishedCase finished);
  void judgeCase(const FinishedCase& finished, worker::JobResult& result);
  /// From then on it counts as what the triage makes of it.
  void triageFailure(const std::string& caseText, const std::string& foundBy, worker::BackendResult& failed);
  /// What died in a child of its own could not ask weaker pipelines: they are asked now, as where it is confirmed.
  void blameDeath(const std::string& caseText, worker::BackendResult& backend);
  /// `seed 7 case 12`, and what it was derived from.
  std::string originOf(const FinishedCase& finished, const std::string& derivation) const;
  bool isKept(const FinishedCase& finished) const; // what it was derived from
  void keepEagerDeath(const FinishedCase& finished, const worker::JobResult& result,
                      const worker::BackendResult& backend);
  void writeState(uint64_t position, const CampaignMemory& memory, bool finished = false);
  /// What has not been dealt with is told, too; whoever goes on deals with it.
  void endEarly();
  report::Report report();
  void tick() { announcer_.progress(tally_, memory_.findings.size()); }
  bool foundEnough() const;
  double secondsRun() const;
  double secondsLeft() const; // grace included

  const FuzzOptions& options_;
  const uint64_t seed_;
  pool::WorkerPool& pool_;
  store::FindingStore& store_;
  EventLog& events_;
  const std::vector<store::SeedCasePtr> corpus_;
  const std::string id_;
  Announcer announcer_;
  CampaignMemory memory_;
  Triage triage_;
  Coverage coverage_;
  CaseStream stream_;
  report::Tally tally_;
  StateFile state_;
  const bool isContinued_; // by another process
  int64_t derivedFromKept_ = 0;
  double begin_ = 0; // as if it had never been ended
  bool onlyWorks_ = false; // it goes on after its time, to deal with what waits
};

} // namespace touchstone::campaign
