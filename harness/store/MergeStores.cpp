#include "harness/store/FindingDatabase.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace touchstone::store {

namespace {

/// Of two rows of one campaign the one that knows more of it.
bool isFurther(const StoredCampaign& left, const StoredCampaign& right) {
  const auto key = [](const StoredCampaign& each) {
    return std::tie(each.cases, each.callsJudged, each.seconds, each.ended, each.state, each.options, each.stateFile);
  };
  return key(left) > key(right);
}

/// Of two rows of one finding the one whose Case is kept: the first that was seen.
bool isEarlier(const StoredFinding& left, const StoredFinding& right) {
  return std::tie(left.firstSeen, left.caseText) < std::tie(right.firstSeen, right.caseText);
}

/// Of two rows of one finding the one whose status was decided last.
bool isNewer(const StoredFinding& left, const StoredFinding& right) {
  return std::tie(left.decidedAt, left.decided) > std::tie(right.decidedAt, right.decided);
}

} // namespace

void FindingDatabase::merge(const FindingDatabase& from, const CopyCase& copyCase) {
  Transaction transaction(database_);
  const std::vector<StoredCampaign> own = campaigns();
  for (const StoredCampaign& each : from.campaigns()) {
    const auto same = std::find_if(own.begin(), own.end(), [&](const auto& other) { return other.id == each.id; });
    if (same == own.end() || isFurther(each, *same)) {
      putCampaign(each);
    }
  }
  for (const StoredFinding& each : from.findings()) {
    const std::optional<StoredFinding> old = finding(each.id);
    const bool takes = !old.has_value() || isEarlier(each, *old);
    StoredFinding merged = takes ? each : *old;
    if (takes || old->file.empty() || !std::filesystem::exists(old->file)) {
      merged.file = copyCase(merged.caseText, each.id + ".py");
    }
    if (old.has_value()) {
      const StoredFinding& newer = isNewer(each, *old) ? each : *old;
      merged.decided = newer.decided;
      merged.decidedAt = newer.decidedAt;
    }
    putFinding(merged);
    for (const StoredSighting& sighting : from.sightings(each.id)) {
      putSighting(sighting);
    }
    for (const StoredRetest& retest : from.retests(each.id)) {
      putRetest(retest);
    }
    refresh(each.id);
  }
  transaction.commit();
}

} // namespace touchstone::store
