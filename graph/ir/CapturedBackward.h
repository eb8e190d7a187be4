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

} // namespace touchstone::ir
