#pragma once

#include "backends/faults/FaultTable.h"
#include "harness/score/FaultScore.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::score {

/// Faults added up: of a class, of all. No controls.
struct ScoreRow {
  std::string name;
  int64_t faults = 0, killed = 0;
  std::optional<double> medianCases, medianSeconds; // to the kill; none: nothing was killed
  std::array<int64_t, kAttributionCount> attributions{}; // of the killed

  double killedShare() const { return faults == 0 ? 0 : static_cast<double>(killed) / static_cast<double>(faults); }
  int64_t count(Attribution attribution) const { return attributions[static_cast<size_t>(attribution)]; }
};

/// One family with the rows of its faults, in the same order.
struct FamilyReport {
  std::vector<faults::FaultRow> rows;
  FamilyScore score;
};

/// A row a class that has faults, then `all`.
std::vector<ScoreRow> scoreRows(const FamilyReport& family);
/// All families together.
ScoreRow wholeScore(const std::vector<FamilyReport>& families);
/// Controls that showed something.
int64_t loudControls(const std::vector<FamilyReport>& families);

struct ReportOptions {
  bool showUnseen = false; // faults of the unseen half by name, too
};

/// Tables, survivors and controls for a person.
std::string scoreText(const std::vector<FamilyReport>& families, ReportOptions options);
/// The `families` of `--json`; docs/json.md.
nlohmann::json scoreJson(const std::vector<FamilyReport>& families, ReportOptions options);

} // namespace touchstone::score
