#pragma once

#include "harness/Finding.h"
#include "harness/Skeleton.h"

#include "harness/StartingCases.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// A cluster that was found before.
struct KnownCluster {
  std::string id;
  Symptom symptom;
  Skeleton skeleton;
  std::string foundBy; // `seed 7 case 12`
};

/// The folder of findings: one case file a cluster, `unconfirmed/` for what did not recur, `eager/` for Cases that ended
/// eager's process. Files that are there are never changed.
class FindingStore {
 public:
  /// Reads the clusters that the folder holds; a file that is no finding of ours is left alone. The folder is made when
  /// something is written.
  explicit FindingStore(std::filesystem::path folder);

  const std::vector<KnownCluster>& clusters() const { return clusters_; }
  /// For a campaign that goes on: its own clusters, `newest`, stand last, in this order; those that were found by a Case that
  /// it will judge again are forgotten, and found again.
  void resume(const std::vector<std::string>& newest,
              const std::function<bool(const std::string& foundBy)>& isFoundAgain);
  /// Writes the reduced Case with its headers and expectations; sets `file`. A file of the same text is left as it is.
  void write(Finding& finding);
  void writeUnconfirmed(const std::string& caseText, const BackendResult& result, const std::string& foundBy,
                        const std::string& history) const;
  /// A Case that ended eager; one that ended the decoder has no text: `command` makes it again.
  void writeEagerDeath(const std::string& caseText, const BackendResult& result, const std::string& foundBy,
                       const std::string& command) const;
  /// What Case `index` was to be derived from, in a folder of its own, whose path is returned.
  std::string writeStarts(const std::vector<StartingCasePtr>& starts, uint64_t index) const;

 private:
  std::filesystem::path folder_;
  std::vector<KnownCluster> clusters_;
};

/// The id of the cluster that a reduced Case belongs to: `torch-aot_eager-values-1f3a5c7e`.
std::string clusterId(const Symptom& symptom, const Skeleton& skeleton);

} // namespace touchstone::harness
