#pragma once

#include "harness/store/FindingDatabase.h"

#include <string>

namespace touchstone::tests {

/// `2026-01-01T00:00:05.000Z` of 5.
inline std::string secondOf(int second) {
  return store::timeText(std::chrono::system_clock::time_point(std::chrono::seconds(1767225600 + second)));
}

inline store::StoredCampaign campaignRow(const std::string& id, const std::string& seed = "7", int begun = 0) {
  store::StoredCampaign campaign;
  campaign.id = id;
  campaign.seed = seed;
  campaign.options = "{}";
  campaign.torch = "2.13.0";
  campaign.begun = secondOf(begun);
  campaign.stateFile = "/nowhere/" + id + "/campaign.json";
  return campaign;
}

inline store::StoredFinding findingRow(const std::string& id, const std::string& text = "a Case") {
  store::StoredFinding finding;
  finding.id = id;
  finding.symptom.backend = "eager";
  finding.symptom.text = "Differs/values/output 0";
  finding.oracle = "Differs/values/call 0 output 0";
  finding.caseText = text;
  finding.operations = 1;
  return finding;
}

inline store::StoredSighting sightingRow(const std::string& finding, const std::string& campaign, int index, int seen,
                                         store::SightingKind how = store::SightingKind::kAgain) {
  return {finding,        campaign, std::to_string(index), "eager", "seed 7 case " + std::to_string(index),
          secondOf(seen), how};
}

} // namespace touchstone::tests
