#pragma once

#include "harness/campaign/CampaignOptions.h"
#include "harness/campaign/Coverage.h"
#include "harness/campaign/SuspectQueue.h"
#include "harness/report/Finding.h"
#include "harness/report/Tally.h"
#include "harness/store/SeedCases.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::campaign {

/// What a campaign remembers of the Cases before, beside the counts: what becomes of the next one depends on it.
struct CampaignMemory {
  std::vector<report::Finding> findings; // new ones
  std::set<std::string> newClusters;
  std::map<std::string, int64_t> suppressedHits; // by cluster
  std::set<std::string> noneBecameZero; // backends of which it was reported
  std::vector<std::string> unconfirmed; // a line each
  SuspectQueue queue; // what failed and has not been dealt with
};

/// Where a campaign is: all that it needs to go on from there as if it had not been ended; with
/// feedback, how often it derives begins anew.
struct CampaignRecord {
  std::string id; // in the store; empty: begun before there were stores
  FuzzOptions options; // the seed among them
  bool finished = false;
  uint64_t position = 0; // of the next Case
  std::string workingFolder; // what relative paths of the options are meant from
  std::string folder; // where the record lay, absolute
  double seconds = 0; // that it ran
  report::Tally tally;
  CampaignMemory memory;
  std::map<std::string, uint64_t> corpus; // contents, by file
  int64_t derivedFromKept = 0;
  std::vector<uint32_t> features;
  std::vector<Coverage::Kept> kept;
};

/// `campaign.json` in the folder; of a shard `campaign-2-of-8.json`.
std::filesystem::path recordFile(const std::filesystem::path& folder, const FuzzOptions& options);

/// Written as a whole or not at all.
void writeRecord(const std::filesystem::path& file, const CampaignRecord& record);

/// The file that a campaign writes its state to, seldom enough to take little of its time.
class StateFile {
 public:
  /// Empty: nothing is written.
  explicit StateFile(std::filesystem::path file) : file_(std::move(file)) {}

  bool isOpen() const { return !file_.empty() && !isFinal_; }
  bool isDue() const;
  /// Adds where it lies. `begun`: when the writing of what belongs to it began (wallSeconds()). Throws StoreError.
  void write(CampaignRecord record, double begun);
  /// An interrupt came in the midst of a Case: what was written before it stays.
  void makeFinal() { isFinal_ = true; }
  bool isFinal() const { return isFinal_; }

 private:
  const std::filesystem::path file_;
  bool isFinal_ = false;
  double nextWrite_ = 0;
};

/// Throws WrongUse when the file is none of ours, or of another version of Touchstone's catalogue or of torch: its Cases
/// cannot be made here.
CampaignRecord readRecord(const std::filesystem::path& file);

/// Where a campaign with these options has its state, in the folder that `options.resume` names or in that of the findings.
/// Throws WrongUse when there are several to go on with and none is said.
std::filesystem::path stateFile(const FuzzOptions& options);

/// The record in `file`, where `options.resume` asks for one; none: a campaign is to begin there. Its paths are those of the
/// campaign, wherever it is resumed; findings that lay beside the record lie beside it still. Throws WrongUse when an option on
/// the command line is another than the stored one, naming all of these; and when there is none and the options do not say how
/// long the campaign is to be.
std::optional<CampaignRecord> recordToResume(const FuzzOptions& options, const std::filesystem::path& file);

} // namespace touchstone::campaign
