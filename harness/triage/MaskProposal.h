#pragma once

#include "harness/suppressions/Mask.h"
#include "harness/triage/Neighbours.h"

#include <string>
#include <vector>

namespace touchstone::triage {

constexpr size_t kNeighbours = 200; // that are judged at most
constexpr size_t kMostMaskedOperations = 16; // of a Case that a mask is proposed for: a larger one is not reduced

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
  suppressions::Mask tightest; // all that can be said of the Case
  size_t tried = 0;
  size_t smaller = 0; // neighbours with fewer operators that show the same
  std::vector<JudgedNeighbour> judged; // those that tell something
};
Neighbourhood exploreNeighbours(const language::Case& theCase, const NeighbourJudge& judge, size_t most = kNeighbours);

/// How a mask stands to a Case and its neighbours.
struct MaskCheck {
  bool matchesCase = false;
  size_t tried = 0, behaving = 0, failing = 0;
  size_t covered = 0; // failing neighbours that it matches
  size_t smaller = 0; // see Neighbourhood: the Case is not reduced, and the mask may be about what does not matter
  /// Behaving ones that it matches: though another mask could tell them from the Case, or none can, as they differ in numbers
  /// alone, or in what masks cannot say.
  std::vector<JudgedNeighbour> loose, alike, inseparable;

  /// It matches the Case, and no neighbour that behaves and has another structure.
  bool holds() const { return matchesCase && loose.empty(); }
  /// Enough is known to trust it with Cases that show something else.
  bool isSafe() const { return holds() && inseparable.empty() && behaving > 0 && smaller == 0; }
};
MaskCheck checkMask(const suppressions::Mask& mask, const Neighbourhood& neighbourhood);

struct MaskProposal {
  suppressions::Mask mask;
  MaskCheck check;
  bool isSafe() const {
    return !mask.steps.empty() && check.isSafe();
  } // without an operation there is nothing to tell it by
};

/// The loosest pattern that matches the Case and no neighbour that behaves: the operations and how they hang together, with
/// as many conditions as it takes, the most useful first; then without what failing neighbours show to be of no matter. Where
/// no pattern tells a neighbour from the Case, that one is not held against it.
MaskProposal proposeMask(const Neighbourhood& neighbourhood);
MaskProposal proposeMask(const language::Case& theCase, const NeighbourJudge& judge);

/// All operations of the Program, with all that can be said of them. It matches the Program.
suppressions::Mask tightestMask(const analysis::FlatProgram& program);

} // namespace touchstone::triage
