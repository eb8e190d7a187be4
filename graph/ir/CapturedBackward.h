#pragma once

#include "graph/ir/Graph.h"

#include <string>
#include <vector>

namespace touchstone::ir {

/// A backward that compiled autograd has captured, to be shown.
struct CapturedBackward {
  Graph
      graph; // all of it: hooks and nodes that run eagerly are callables between the operators, without what they call
  std::vector<std::string> origins; // by node's `sequence`: `MulBackward0 (NodeCall 2)`
};

/// What compiled autograd says of itself while it works.
struct BackwardLogEntry {
  bool isVerbose = false; // why the cache missed and what was traced; else a capture, or what is not captured
  std::string text; // lines
};

} // namespace touchstone::ir
