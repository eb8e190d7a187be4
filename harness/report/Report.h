#pragma once

#include "harness/report/Finding.h"
#include "harness/report/Tally.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::report {

/// What a campaign saw of features, see Coverage.
struct CoverageCounts {
  int64_t seen = 0;
  std::map<std::string, int64_t> byKind;
  int64_t kept = 0; // Cases that showed new ones, for feedback
  bool full = false;
};

/// What a command says at its end; one for people and machines.
struct Report {
  Tally tally;
  double seconds = 0;
  std::optional<uint64_t> seed;
  std::vector<Finding> findings; // new ones
  size_t waiting = 0; // failing Cases that nobody has dealt with, as the time was up
  std::string folder; // of the findings, with which the campaign goes on; for a person
  std::vector<std::pair<std::string, std::string>> expired; // entries of the known file, and their last day
  bool interrupted = false;
  int64_t derivedFromKept = 0; // of tally.derivations
  std::optional<CoverageCounts> coverage;
};

/// The object that `--json` prints; docs/json.md describes the fields.
nlohmann::json reportJson(const Report& report);
/// Several lines for a person: outcomes by backend, calls judged, rules, figures of validity, where the time went.
std::string summaryText(const Report& report, bool withValidity);
/// A line an entry of the profile: in how many Cases it made a difference. Empty without one.
std::string exclusionsText(const Tally& tally);
/// A line that says that it had been fixed, to stand behind another; else nothing.
std::string regressionText(const Finding& finding);
/// What to type to see the finding again.
std::string replayCommand(const Finding& finding);

/// Worst first (language::Severity); among equals the order stays.
void sortBySeverity(std::vector<Finding>& findings);

std::string torchVersion();
/// How this program was called, for commands to be pasted: `./touchstone`.
std::string programName();
/// JSON as text on one line or several; texts that are not UTF-8 are repaired.
std::string dumpJson(const nlohmann::json& object, int indent = -1);
/// The same on standard output, one space a level.
void printJson(const nlohmann::json& object);

} // namespace touchstone::report
