#pragma once

#include "harness/store/Database.h"
#include "harness/store/StoredRows.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace touchstone::store {

/// What all campaigns found, counted and saw again: the tables of `store.sqlite`, and the rules by which a finding's status
/// changes. Several processes may write one at once. Each function below is one transaction: when it returns, what it wrote
/// outlives this process; a process that is killed inside has written nothing. Writing the same thing twice changes nothing,
/// so a campaign that goes on may tell again what it did not know it had told.
///
/// Throws StoreError when the file cannot be used.
class FindingDatabase {
 public:
  /// Opens it for writing, or makes it; see openStore().
  explicit FindingDatabase(const std::filesystem::path& file);
  /// Only to be read; see readStore().
  static FindingDatabase reading(const std::filesystem::path& file);
  /// One that is in no file, for case files of a folder that has none.
  static FindingDatabase inMemory(const std::filesystem::path& name);

  const std::filesystem::path& file() const { return database_.file(); }

  // A campaign.
  /// It runs: a new row, or the old one of a campaign that goes on. Others that say they run with its state file are killed.
  void beginCampaign(const StoredCampaign& campaign);
  /// Campaigns that say they run, and of whose state file `isGone` says that no process holds it.
  void markKilled(const std::function<bool(const std::string& stateFile)>& isGone);
  /// What it counted up to here, in place of what was written before, and what was seen since: a row that is there stays.
  void writeCounts(const StoredCampaign& campaign, const std::vector<StoredSighting>& sightings);

  // Findings.
  /// A finding that a Case came down to, and the sighting of it. What the store has of the finding stays, but a status that
  /// the sighting changes, and the file, where it is not there any more. Returns what the sighting was; the same again when
  /// the same one is added again.
  SightingKind addFinding(const StoredFinding& finding, const StoredSighting& sighting);
  /// A finding that a case file tells of, unless the store has it: with a campaign of which no more is known.
  void adoptFinding(const StoredFinding& finding, const StoredSighting& sighting, const StoredCampaign& campaign);
  /// Those on the list of known bugs are `known`, those that were and are on it no more `open`.
  void markKnown(const std::function<bool(const StoredFinding&)>& isKnown);
  void setFile(const std::string& id, const std::filesystem::path& file);
  /// A retest came to this outcome, and the finding has this status from then on. Throws WrongUse for an unknown id.
  void recordRetest(const std::string& id, const std::string& outcome, FindingStatus status,
                    const std::string& when = timeNow(), const std::string& torch = "");

  /// Findings that a campaign knew when it began, however much was seen since: another one saw them before. Of those that
  /// share its seed and a folder with it, its other shards, only what they had seen when they ended counts. Without those that
  /// were fixed, which it is to report.
  std::set<std::string> knownToCampaign(const std::string& id) const;

  /// With its sightings and retests.
  void remove(const std::string& id);

  // In the order of first sight; of the beginning; of time.
  std::vector<StoredFinding> findings() const;
  std::optional<StoredFinding> finding(const std::string& id) const;
  std::vector<StoredCampaign> campaigns() const;
  bool hasCampaign(const std::string& id) const;
  std::vector<StoredSighting> sightings(const std::string& id) const;
  std::vector<StoredRetest> retests(const std::string& id) const;

  /// Everything of another store, see docs/store.md for the rules: in whatever order stores are put together and however
  /// often, the same comes out, but for names of files. `copyCase` gets the Case of a finding that has no file beside this
  /// store yet and the file's name, and returns where it lies now.
  using CopyCase = std::function<std::filesystem::path(const std::string& text, const std::string& name)>;
  void merge(const FindingDatabase& from, const CopyCase& copyCase);

 private:
  explicit FindingDatabase(Database database);
  /// Of these rows, whose `?1` is the value; their files are absolute.
  std::vector<StoredFinding> findingsWhere(const std::string& condition, const std::string& value) const;
  void putCampaign(const StoredCampaign& campaign);
  void putFinding(StoredFinding finding);
  void putRetest(const StoredRetest& retest);
  bool putSighting(const StoredSighting& sighting);
  void putSightings(const std::vector<StoredSighting>& sightings);
  void decide(const std::string& id, FindingStatus status, const std::string& when);
  /// Hits, first and last sight and the status, which follow from the sightings and the last decision.
  void refresh(const std::string& id);
  std::string relativeToStore(const std::filesystem::path& file) const;

  mutable Database database_; // SQLite's reading functions are not const
};

} // namespace touchstone::store
