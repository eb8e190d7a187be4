#pragma once

#include "harness/suppressions/Pattern.h"
#include "harness/triage/Neighbours.h"

#include <string>
#include <vector>

namespace touchstone::triage {

constexpr size_t kNeighbours = 200; // that are judged at most
constexpr size_t kMostSuppressedOperations =
    16; // of a Case that a suppression is proposed for: a larger one is not reduced

/// A neighbour that was judged, and is Agreed or a finding.
struct JudgedNeighbour {
  language::Case theCase;
  std::string edit;
  analysis::FlatProgram program;
  bool behaves = false;
};

/// What is known of how a Case fails: its neighbours.
struct Neighbourhood {
  language::Case theCase;
  analysis::FlatProgram program;
  suppressions::Pattern tightest; // all that can be said of the Case
  size_t tried = 0;
  size_t smaller = 0; // neighbours with fewer operators that show the same
  std::vector<JudgedNeighbour> judged; // those that tell something
};
Neighbourhood exploreNeighbours(const language::Case& theCase, const NeighbourJudge& judge, size_t most = kNeighbours);

/// How a pattern stands to a Case and its neighbours.
struct PatternCheck {
  bool matchesCase = false;
  size_t tried = 0, behaving = 0, failing = 0;
  size_t covered = 0; // failing neighbours that it matches
  size_t smaller = 0; // see Neighbourhood: the Case is not reduced, and the pattern may be about what does not matter
  /// Behaving ones that it matches: though another pattern could tell them from the Case, or none can, as they differ in numbers
  /// alone, or in what patterns cannot say.
  std::vector<JudgedNeighbour> loose, alike, inseparable;

  /// It matches the Case, and no neighbour that behaves and has another structure.
  bool holds() const { return matchesCase && loose.empty(); }
  /// Enough is known to trust it with Cases that show something else.
  bool isSafe() const { return holds() && inseparable.empty() && behaving > 0 && smaller == 0; }
};
PatternCheck checkPattern(const suppressions::Pattern& pattern, const Neighbourhood& neighbourhood);

struct SuppressionProposal {
  suppressions::Pattern pattern; // without a step: there is nothing to tell the Case by
  PatternCheck check;
  bool isSafe() const { return !pattern.steps.empty() && check.isSafe(); }
};

/// A loose pattern that matches the Case and no neighbour that behaves: all that can be said of the Case, then without the
/// refinements that rule out nothing that behaves, then without what failing neighbours show to be of no matter. Where no
/// pattern tells a neighbour from the Case, that one is not held against it.
SuppressionProposal proposeSuppression(const Neighbourhood& neighbourhood);
SuppressionProposal proposeSuppression(const language::Case& theCase, const NeighbourJudge& judge);

} // namespace touchstone::triage
