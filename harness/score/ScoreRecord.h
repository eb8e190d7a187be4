#pragma once

#include "harness/options/Command.h"
#include "harness/score/FaultScore.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::score {

/// What is scored, by the options of `touchstone score` that a score goes on with.
struct ScoreOptions {
  std::string family = "native"; // torch, all
  std::string half = "all"; // seen, unseen
  std::vector<std::string> faults; // names and classes; empty: all
  uint64_t seed = 1;
  std::optional<uint64_t> cases;
  std::optional<double> processorSeconds; // none: as the family needs, see budgetOf()
  uint64_t controlCases = 300;
  std::vector<std::string> parts; // see generators/catalogue/Parts.h
  bool operator==(const ScoreOptions&) const = default;
};
Budget budgetOf(const ScoreOptions& options, ir::Family family);

/// Where a score is: all that it needs to go on.
struct ScoreRecord {
  ScoreOptions options;
  std::string torch; // versions of what makes the Cases
  int catalogue = 0;
  double seconds = 0; // on the clock
  std::vector<FamilyScore> families;
  bool operator==(const ScoreRecord&) const = default;
};

std::string recordText(const ScoreRecord& record);
/// Throws WrongUse where `text` is no record; `name` says whose.
ScoreRecord recordFromText(const std::string& text, const std::string& name);

/// The record in the file; none where there is no such file. Throws WrongUse when it is of other versions, or when an option
/// that was given is another than its own: all of these are named.
std::optional<ScoreRecord> recordToGoOnWith(const std::filesystem::path& file, const ScoreOptions& asked,
                                            const options::Given& given);

} // namespace touchstone::score
