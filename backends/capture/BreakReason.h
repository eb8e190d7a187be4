#pragma once

#include "graph/ir/GraphBreakReport.h"

#include <exception>
#include <string>
#include <vector>

namespace touchstone::capture {

/// Why a Graph ends before its function does.
struct BreakReason {
  std::string text;
  int line = 0; // of the case file, 0: unknown
  std::vector<ir::FrameSummary> stack; // outermost first; the first is the frame itself, its function left open
  /// What the step raised on fake tensors, when that is why: what it raises on real ones is the call's to say.
  std::exception_ptr raised;
  bool byInputs = false; // with others the step may be part of the Graph
};

} // namespace touchstone::capture
