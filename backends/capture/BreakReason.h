#pragma once

#include "backends/capture/GraphBreak.h"
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
  BrokenBy by = BrokenBy::kNothing;
};

} // namespace touchstone::capture
