#pragma once

#include "harness/conformance/Levels.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace touchstone::conformance {

/// What came of a level, as a word for the table.
enum class LevelVerdict {
  kHolds,
  kHoldsWhereTaken, // what it takes is right; it refuses some
  kFails,
  kRefused, // it refuses all
  kNotShown, // nothing was judged: all was left to PyTorch, or there was no time
  kNotAsked,
};
std::string_view verdictName(LevelVerdict verdict);
LevelVerdict verdictFromName(const std::string& name);

/// A row of the level table. A Case counts at the level of its campaign; what went wrong, at the level of its cause.
struct LevelReport {
  Level level = Level::kValues;
  LevelVerdict verdict = LevelVerdict::kNotAsked;
  std::string why; // of what is not shown or not asked
  int64_t cases = 0, agreed = 0, wrong = 0, refused = 0, notJudged = 0;
  std::map<std::string, int64_t> delegations; // Cases by ir::delegationName(); empty: the profile has no proof
  std::vector<std::string> causes; // ids
};

/// Cases that have to agree for a level to hold.
constexpr int64_t kFewestCases = 10;
/// By what was counted. `isWrong`: it has a cause that is no refusal; `isLeftOut`: nothing was run for it.
LevelVerdict verdictOf(const LevelReport& level, bool isWrong, bool isLeftOut);
/// Why too little was judged.
std::string whyNotShown(const LevelReport& level, bool isInterrupted);

struct CauseReport {
  std::string id, title, message;
  Level level = Level::kValues;
  bool isRefusal = false;
  std::vector<std::string> operators, dtypes;
  int64_t probes = 0, cases = 0;
  std::string symptom; // of the Case to show
  std::string file; // from the report's folder; empty: there is no Case
  std::string plainPython; // what came of running the file without Touchstone
};

/// A cell of the table operator × dtype × direction.
struct OperatorReport {
  std::string name, dtype, pass;
  std::string status; // see probing::probeStatusName()
  std::string delegation; // see ir::delegationName(); empty: not known
};

/// Everything that the pages say, and what a later run is held against.
struct ConformanceReport {
  std::string backend, torch, processor, date;
  std::map<std::string, std::string> versions; // of what the profile imports
  std::string command;
  double seconds = 0;
  uint64_t seed = 0;
  bool isInterrupted = false;
  std::vector<std::string> troubles; // what the backend did not get through at its start; campaigns that ended early
  std::vector<LevelReport> levels;
  std::vector<CauseReport> causes;
  std::vector<OperatorReport> operators;
  int64_t probesLeft = 0; // for which there was no time
  std::map<std::string, int64_t> notJudged; // why, and how many Cases or probes

  const CauseReport* cause(const std::string& id) const;
};

std::string reportText(const ConformanceReport& report);
/// Throws WrongUse where `text` is no such report; `name` says whose.
ConformanceReport reportFromText(const std::string& text, const std::string& name);

/// What is otherwise than in an older report of the same backend, a sentence each: levels, causes, operators. What was not tried in
/// one of the two is not compared.
std::vector<std::string> changesSince(const ConformanceReport& before, const ConformanceReport& now);

} // namespace touchstone::conformance
