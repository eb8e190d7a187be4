#pragma once

#include "harness/baseline/KnownFindings.h"
#include "harness/campaign/Announcer.h"
#include "harness/campaign/CampaignRecord.h"
#include "harness/store/FindingStore.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::campaign {

/// What a finding is told from what is known by.
struct Shape {
  analysis::ProgramSignature signature;
  analysis::FlatProgram program;
};
Shape shapeOf(const language::Case& theCase);

/// What a result counts as once it was looked at: Known, Suppressed, Unconfirmed, …
struct Counted {
  language::Outcome outcome = language::Outcome::kAgreed;
  std::string detail;
};

/// What a campaign knows already: the file of known findings, the clusters of its store, and the suppressions that lie beside them.
class Recognition {
 public:
  Recognition(const FuzzOptions& options, store::FindingStore& store, CampaignMemory& memory, Announcer& announcer);

  const baseline::KnownFindings& known() const { return known_; }

  struct Recognized {
    std::optional<Counted> as; // none: it is new
    bool isChecked = false; // a cluster would suppress it; one of those that are looked at all the same
  };
  /// The file of known findings has it, by symptom or suppression. Or, where it is asked: a cluster of the same backend has a suppression that
  /// matches, or it has the symptom, and a signature that is in the Program: Suppressed, or Known where the cluster is not of this
  /// campaign, and looked at no further, most of the time.
  Recognized recognize(const Shape& shape, const worker::Symptom& symptom, bool byClusters = true);
  /// The cluster that a reduced finding is a hit of: its own, or one whose suppression matches it still, though it was looked at all
  /// the same, and that fails in the same way; null: it is new, or was fixed.
  const store::KnownCluster* clusterOf(const report::Finding& finding) const;
  /// For the reducer: a candidate that a suppression matches is another finding, unless that suppression matches the start, too.
  baseline::IsKnown suppressedOtherwise(const language::Case& start, const worker::Symptom& symptom) const;
  /// Those of a new cluster.
  void addSuppressions(const std::string& id, baseline::KnownFindings suppressions) {
    suppressions_[id] = std::move(suppressions);
  }

 private:
  /// Null: none are about it.
  const baseline::KnownFindings* suppressionsFor(const store::KnownCluster& cluster,
                                                 const worker::Symptom& symptom) const;
  bool suppressionMatches(const store::KnownCluster& cluster, const analysis::FlatProgram& program,
                          const worker::Symptom& symptom) const;
  std::vector<const baseline::KnownEntry*> suppressionsThatMatch(const analysis::FlatProgram& program,
                                                                 const worker::Symptom& symptom) const;

  store::FindingStore& store_;
  CampaignMemory& memory_;
  const baseline::KnownFindings known_;
  std::map<std::string, baseline::KnownFindings> suppressions_; // of clusters, by id: proposed from their reduced Cases
};

} // namespace touchstone::campaign
