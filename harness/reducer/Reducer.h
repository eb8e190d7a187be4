#pragma once

#include "program/language/Case.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::reducer {

/// Where in a Case the symptom shows: what is tried first keeps just that.
struct GuiltyPlace {
  int call = 0;
  std::string where; // `output 0`, `leaf 2`, …; empty: not a difference
};

/// The first candidate that still shows what is being reduced.
struct Sighting {
  size_t candidate = 0;
  GuiltyPlace place;
};

/// Gets some candidates at a time, to be judged together; none: none of them shows it.
using CandidateJudge = std::function<std::optional<Sighting>(const std::vector<language::Case>&)>;

struct ReductionPass;

struct ReducerOptions {
  double seconds = 60;
  size_t candidatesAtOnce = 8; // at most; fewer after a success
  std::vector<const ReductionPass*> passes = {}; // see choosePasses(); empty: all
  /// The seconds are of this clock, which may stand while something else is done; empty: the one on the wall.
  std::function<double()> clock = {};
  std::function<void(const language::Case&)> onBetter = {}; // the best so far; may be empty
  /// After each question to the judge: the pass, how many candidates it got, whether one was taken. May be empty.
  std::function<void(const ReductionPass& pass, size_t candidates, bool taken)> onJudged = {};
};

/// What came of reducing.
struct Reduction {
  std::vector<language::Case> steps; // from the start to the best; the judge saw the symptom in each
  bool isFinished = true; // false: an interrupt or the time ended it
  const language::Case& best() const { return steps.back(); }
};

/// Makes a Case smaller (see CaseSize) as long as the judge agrees: the passes one after the other, each as long as it
/// helps, again and again until none does or time is up. Which candidate is taken does not depend on time or on how many
/// are judged at once. Exceptions of the judge end it with the best so far only when they are Interrupted.
Reduction reduceCase(language::Case start, const GuiltyPlace& place, const CandidateJudge& judge,
                     const ReducerOptions& options = {});

/// The Case with one of its last calls once more behind the others with another seed, where the judge still
/// sees what was reduced; otherwise, and where two calls differ in values alone already, as it is. When the bug is mended, the
/// Case shall agree, and code that was never called again with other values is Vacuous.
language::Case withSecondCall(const language::Case& reduced, const CandidateJudge& judge);

} // namespace touchstone::reducer
