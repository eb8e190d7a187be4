#pragma once

#include "backends/compiled_autograd/BackwardTrace.h"
#include "backends/compiled_autograd/Segment.h"

#include <vector>

namespace touchstone::compiled_autograd {

/// A backward as one Graph, and the parts of it between the calls of what is no operator.
struct BackwardGraph {
  /// Placeholders `inputs` (the list of tensors that the key has lifted), `sizes` and `hooks` (hooks, each followed by the state that it is called with, if any, and nodes that are called), of
  /// which elements are read, and `gradients` where it begins in the middle of a backward. Returns what is wanted.
  ir::Graph whole;
  std::vector<Segment> segments; // cut from it, in order
};

BackwardGraph graphOf(const BackwardTrace& trace, const BackwardTask& task);

} // namespace touchstone::compiled_autograd
