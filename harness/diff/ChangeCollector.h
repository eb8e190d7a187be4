#pragma once

#include "harness/diff/CasePairs.h"
#include "harness/diff/DiffReport.h"
#include "harness/diff/DiffSide.h"
#include "harness/findings/FindingPipeline.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::diff {

struct CollectorOptions {
  std::string folder; // of the files; made with the first of them
  double reduceSeconds = 30; // for each cluster; 0: Cases are written as they are
  std::function<void(const std::string&)> onActivity; // what takes time now, for progress; may be empty
};

/// What the two sides make of a Case.
struct BothResults {
  worker::BackendResult left, right;
  /// That of the side whose finding the change is about.
  const worker::BackendResult& telling() const { return showsFinding(right) || !showsFinding(left) ? right : left; }
};

/// Makes of Cases whose outcome changed what is reported: each is run again, reduced so that the change stays, put with those
/// that come down to the same, and written as a file.
class ChangeCollector {
 public:
  /// The sides outlive it.
  ChangeCollector(DiffSide& left, DiffSide& right, CollectorOptions options);

  /// The outcomes of the Case run alone in fresh children, twice on each side; none where it does not change there, or does not
  /// come to the same twice: `unconfirmed` then has a line more, and the folder the Case. Throws Interrupted.
  std::optional<BothResults> add(const CasePair& pair);

  const std::vector<ChangeCluster>& clusters() const { return clusters_; }
  const std::vector<std::string>& unconfirmed() const { return unconfirmed_; }

 private:
  /// Confirms that a Case changes, and of one that did that it changes alike; `sides` are the results of the last that did.
  findings::RunAlone runAlone(std::optional<BothResults>& sides);
  ChangeCluster reduced(findings::Suspect suspect, BothResults sides);
  /// One that has the same classes, and whose operators the Case holds in their order; null: there is none.
  ChangeCluster* clusterThatHolds(const analysis::ProgramSignature& signature, const BothResults& sides);
  void write(ChangeCluster& cluster, language::Case theCase, const std::string& foundBy);
  void tell(const std::string& activity) const;

  DiffSide& left_;
  DiffSide& right_;
  const CollectorOptions options_;
  std::vector<ChangeCluster> clusters_;
  std::vector<std::string> unconfirmed_;
};

} // namespace touchstone::diff
