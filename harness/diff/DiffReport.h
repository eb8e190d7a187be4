#pragma once

#include "harness/diff/ObservedChanges.h"
#include "harness/diff/OutcomeChange.h"
#include "harness/report/JUnit.h"
#include "harness/report/Tally.h"
#include "program/analysis/ProgramSignature.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::diff {

/// Changes that come down to the same: the same two outcomes but for places, and the same signature of the reduced Case.
struct ChangeCluster {
  std::string id; // also the file's name: `worse-values-1a2b3c4d`
  ChangeKind kind = ChangeKind::kOther;
  std::string leftClass, rightClass; // outcomeClassOf()
  worker::BackendResult left, right; // of the reduced Case
  analysis::ProgramSignature signature; // of the reduced Case
  size_t calls = 0;
  std::vector<std::string> cases; // that changed so
  size_t held = 0; // Cases in which it was recognized
  std::string file; // where the reduced Case was written; empty: nowhere
  std::string command, leftCommand, rightCommand; // to see it again: both sides, each alone
};

/// A Case with the same outcome on both sides in which they show something else.
struct ObservedCase {
  std::string name;
  std::vector<ObservedChange> changes;
};

/// What came of comparing what both sides show where their outcomes are the same.
struct ObservedSummary {
  int64_t compared = 0; // Cases
  int64_t withinRules = 0; // every difference is in a call in which a rule excused something
  int64_t beyondRules = 0; // some is not
  int64_t otherCounts = 0; // graphs, breaks, recompiles; of the compared, whatever else they show
  std::map<std::string, int64_t> properties; // Cases by what differs: `output values (A7)`
  std::vector<ObservedCase> cases; // where they are asked for

  void add(const std::string& name, const std::vector<ObservedChange>& changes, bool keep);
};

struct DiffReport {
  std::array<std::string, 2> names, torch; // of the sides
  std::array<report::Tally, 2> tallies;
  int64_t cases = 0, notMade = 0, notJudged = 0; // notJudged: that one side could not read
  std::map<std::pair<std::string, std::string>, int64_t>
      transitions; // outcomeClassOf() left and right; but for unconfirmed
  std::vector<ChangeCluster> clusters; // in the order in which they were found
  std::vector<std::string> unconfirmed; // a line each
  ObservedSummary observed;
  std::optional<uint64_t> seed;
  double seconds = 0;
  bool interrupted = false;

  int64_t changed(ChangeKind kind) const; // Cases
  double unjudgedShare() const; // of the side that judged less
};

/// For a person: transitions, observations, changes by cluster.
std::string diffText(const DiffReport& report);
/// The object that `--json` prints; docs/json.md describes the fields.
nlohmann::json diffJson(const DiffReport& report);
/// A test a cluster, and one that passed when there is none. `allowBetter`: changes for the better pass.
std::vector<report::JUnitCase> diffJUnit(const DiffReport& report, bool allowBetter);

} // namespace touchstone::diff
