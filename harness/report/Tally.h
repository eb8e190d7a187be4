#pragma once

#include "generators/catalogue/Parts.h"
#include "harness/worker/Job.h"
#include "harness/worker/Profile.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace touchstone::report {

bool isNativeBackend(const std::string& name);

/// What a command counted under one backend.
struct BackendTally {
  std::array<int64_t, language::kOutcomeCount> outcomes{}; // Cases
  std::map<std::string, int64_t>
      details; // `Limit(A13)`, `Upstream(torch:eager)`, `Unsupported(reason)`, `Suppressed(id)`
  std::array<int64_t, compare::kRuleCount> allowed{}; // Cases in which each rule excused something
  int64_t cases = 0;
  int64_t skipped = 0; // Suppressed without being compiled
  int64_t compiled = 0; // Cases in which something was compiled
  int64_t symbolic = 0; // of these, those in which some size was a symbol
  int64_t givenUp = 0; // of them, those in which one that was to be a symbol kept its number; of a native backend
  worker::Counters counters;
  std::map<std::string, int64_t> delegations; // Cases by ir::delegationName(), where the profile has a proof
  std::map<std::string, ir::OperatorShare> operatorShares; // the same

  int64_t count(language::Outcome outcome) const { return outcomes[static_cast<size_t>(outcome)]; }
  bool hasSymbols() const { return symbolic + givenUp > 0; }
  /// Those that there are.
  std::map<std::string, int64_t> outcomesByName() const;
  /// What was counted as the one outcome counts as the other.
  void recount(language::Outcome before, language::Outcome after, const std::string& detail);
  /// Cases that were judged: all that could have become findings and Agreed.
  int64_t judgedCases() const;
};

/// How closely the statements of generated Cases hang together, and what their backwards go through; derived Cases are not
/// counted.
struct DensityTally {
  int64_t cases = 0;
  int64_t statedOperations = 0,
          reachingOperations = 0; // of these, those that an output or a write that is seen depends on
  int64_t backward = 0; // Cases that have one
  int64_t twoLeavesOfOneShape = 0; // Cases
  std::map<int, int64_t> leaves,
      paths; // Cases with a backward by leaves with a gradient, and by operators on the longest path
};

/// Adds up the results of a command, one JobResult a Case (see mergeResults()).
struct Tally {
  int64_t cases = 0;
  bool isOfSequences = false; // short Programs, and calls that shall not find code that is there
  int64_t unreadable = 0; // JobResult::error
  std::map<std::string, BackendTally> backends;
  std::map<int, int64_t> operationsOfCases; // how many Cases have so many operations that reach an output
  std::map<std::string, int64_t> derivations; // Cases that came from others, by how
  int64_t aliasedInputs = 0, mutation = 0, backward = 0, changedCall = 0, customOperators = 0;
  int64_t changedSizes = 0; // Cases whose calls have two sets of sizes or more
  bool expectsSymbols = false; // Cases are drawn with sizes that change
  DensityTally density;
  bool expectsDensity = false; // Cases are drawn with all that makes them dense
  int64_t tried = 0, rejected = 0, precluded = 0;
  std::map<std::string, int64_t> acceptedOperators;
  std::map<std::string, int64_t>
      exclusions; // Cases that each entry of the profile changed; those that changed none, too
  std::vector<worker::Profile::Feature> without; // what the profile switches off: nobody asks for it then
  int operationsAskedFor = 8; // of the median Case
  double generateSeconds = 0, eagerSeconds = 0;

  void add(const worker::JobResult& result);
  /// From now on Cases are drawn with these parts.
  void expect(catalogue::Parts parts);
  /// From now on this profile's entries are counted, and what it leaves out is not asked for.
  void expect(const worker::Profile& profile);
  int64_t callsJudged() const;
  /// Cases by the id of what excused them, all backends: `outcome` is kKnown or kSuppressed.
  std::map<std::string, int64_t> excused(language::Outcome outcome) const;
  std::map<std::string, int64_t> allowed() const; // by rule, all backends
  /// The share of cases × backends that was not judged.
  double unjudgedShare() const;
};

/// The results of one Case from workers of several families become one; the first keeps the facts.
void mergeResults(worker::JobResult& into, worker::JobResult&& other);

/// One of the figures without which "no finding" means nothing.
struct ValidityFigure {
  std::string name; // `torch:aot_eager: Vacuous`
  std::string value; // `0.4 %`
  std::string bound; // `at most 1 %`
  bool holds = true;
};
/// Empty when no Case was judged.
std::vector<ValidityFigure> validityFigures(const Tally& tally);

} // namespace touchstone::report
