#pragma once

#include "graph/program/Case.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::harness {

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
using CandidateJudge = std::function<std::optional<Sighting>(const std::vector<graph::Case>&)>;

struct ReducerOptions {
  double seconds = 60;
  size_t candidatesAtOnce = 8; // at most; fewer after a success
  std::function<void(const graph::Case&)> onBetter; // the best so far; may be empty
  /// After each question to the judge: the pass, how many candidates it got, whether one was taken. May be empty.
  std::function<void(const char* pass, size_t candidates, bool taken)> onJudged;
};

/// Makes a Case smaller as long as the judge agrees: first what the guilty place can do without by the text, then calls,
/// statements (chunks, then single ones), outputs, inputs, subexpressions, numbers, modes. Stops when nothing helps any
/// more or time is up; returns the best. Which candidate is taken does not depend on time or on how many are judged at
/// once. Exceptions of the judge end it with the best so far only when they are Interrupted.
graph::Case reduceCase(graph::Case start, const GuiltyPlace& place, const CandidateJudge& judge,
                       const ReducerOptions& options = {});

/// The Case with one of its calls, the last if possible, once more behind the others with another seed, where the judge still
/// sees what was reduced; otherwise, and where two calls differ in values alone already, as it is. When the bug is mended, the
/// Case shall agree, and code that was never called again with other values is Vacuous.
graph::Case withSecondCall(const graph::Case& reduced, const CandidateJudge& judge);

} // namespace touchstone::harness
