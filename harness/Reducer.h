#pragma once

#include "graph/program/Case.h"

#include <functional>
#include <vector>

namespace touchstone::harness {

/// Says of each candidate whether it still shows what is being reduced. Gets some at a time, to be judged
/// together; what it says behind the first `true` is not used.
using CandidateJudge = std::function<std::vector<bool>(const std::vector<graph::Case>&)>;

struct ReducerOptions {
  double seconds = 60;
  size_t candidatesAtOnce = 8; // at most; fewer after a success
  std::function<void(const graph::Case&)> onBetter; // the best so far; may be empty
};

/// Makes a Case smaller as long as the judge agrees: calls, statements (chunks, then single ones), outputs, inputs,
/// subexpressions, numbers, modes. Stops when nothing helps any more or time is up; returns the best. Which candidate is
/// taken does not depend on time or on how many are judged at once. Exceptions of the judge end it with the best so far
/// only when they are Interrupted.
graph::Case reduceCase(graph::Case start, const CandidateJudge& judge, const ReducerOptions& options = {});

} // namespace touchstone::harness
