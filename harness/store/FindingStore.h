#pragma once

#include "harness/findings/FindingPipeline.h"
#include "harness/report/Finding.h"
#include "harness/report/Tally.h"
#include "harness/store/FindingDatabase.h"
#include "harness/store/FindingFiles.h"
#include "harness/store/SeedCases.h"
#include "program/analysis/ProgramSignature.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::store {

/// A cluster that was found before.
struct KnownCluster {
  std::string id;
  worker::Symptom symptom;
  analysis::ProgramSignature signature;
  std::string foundBy; // `seed 7 case 12`
};

/// The folder of findings of one campaign: one case file a cluster, `unconfirmed/` for what did not recur, `eager/` for Cases
/// that ended eager's process. Files that are there are never changed. What it knows is what is in the folder; what happens
/// goes into the database besides, in which other folders' campaigns may write as well, and which changes nothing in the
/// campaign's course but that what was fixed is found anew.
///
/// What cannot be written is a StoreError.
class FindingStore {
 public:
  /// Reads the clusters that the folder holds; a file that is no finding of ours is left alone. The folder is made when
  /// something is written. Without a database there are the files alone.
  explicit FindingStore(std::filesystem::path folder, std::unique_ptr<FindingDatabase> database = nullptr);

  /// From here on everything is of this campaign, which may be one that goes on (after resume()). Case files of the folder
  /// that the database does not have are read into it.
  void beginCampaign(const StoredCampaign& campaign);
  bool hasCampaign(const std::string& id) const { return database_ != nullptr && database_->hasCampaign(id); }
  void markKnown(const std::function<bool(const StoredFinding&)>& isKnown);
  /// The Case that is dealt with now: `seed 7 case 12`.
  void beginCase(const std::string& foundBy) { foundBy_ = foundBy; }
  /// The Case was a hit of a cluster, or suppressed by it; kept by the next writeCounts().
  void note(const std::string& id, const std::string& backend, SightingKind how);
  void writeCounts(const report::Tally& tally, double seconds);
  void endCampaign(const report::Tally& tally, double seconds, CampaignState state);

  const std::vector<KnownCluster>& clusters() const { return clusters_; }
  /// For a campaign that goes on: its own clusters, `newest`, stand last, in this order; those that were found by a Case that
  /// it will judge again are forgotten, and found again.
  void resume(const std::vector<std::string>& newest,
              const std::function<bool(const std::string& foundBy)>& isFoundAgain);
  /// Writes the reduced Case with its headers and expectations, into the database first; sets `file`, and `regression` where
  /// it had been fixed. A file of the same text is left as it is, and so is the one that the folder has of the cluster. When
  /// this returns, the finding outlives the process: only then may it be told to anybody.
  void write(report::Finding& finding);
  /// Of a Case that was reduced again, and came down to `id`: what an interrupt had left half-reduced of it with the same
  /// symptom, where this campaign alone has seen that.
  std::vector<StoredFinding> unfinishedOf(const std::string& foundBy, const worker::Symptom& symptom,
                                          const std::string& id) const;
  /// Its row, and its file where nobody has changed it.
  void remove(const StoredFinding& finding);
  /// A retest said so, and it was not seen since.
  bool isFixed(const std::string& id) const;
  void writeUnconfirmed(const std::string& caseText, const findings::Suspect& suspect) const;
  /// A Case that ended eager; one that ended the decoder has no text: `command` makes it again.
  void writeEagerDeath(const std::string& caseText, const worker::BackendResult& result, const std::string& foundBy,
                       const std::string& command) const;
  /// What Case `index` was to be derived from, in a folder of its own, whose path is returned.
  std::string writeStarts(const std::vector<SeedCasePtr>& starts, uint64_t index) const;

 private:
  /// Tells the database of it. Returns the file that the folder has of it already; empty: none.
  std::filesystem::path addToDatabase(report::Finding& finding, const language::Case& theCase, const std::string& text);
  void countInto(const report::Tally& tally, double seconds);

  std::filesystem::path folder_;
  std::unique_ptr<FindingDatabase> database_; // may be null
  std::vector<KnownCluster> clusters_;
  std::vector<FindingFile> files_; // until beginCampaign()
  std::vector<std::string> newest_;
  StoredCampaign campaign_;
  std::string foundBy_;
  std::vector<StoredSighting> noted_; // not yet in the database
};

/// The id of the cluster that a reduced Case belongs to: `torch-aot_eager-values-1f3a5c7e`.
std::string clusterId(const worker::Symptom& symptom, const analysis::ProgramSignature& signature);

} // namespace touchstone::store
