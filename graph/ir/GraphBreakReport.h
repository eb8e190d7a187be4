#pragma once

#include <string>
#include <vector>

namespace touchstone::ir {

/// A line of a stack, as Python's traceback module summarizes it.
struct FrameSummary {
  std::string file = "case.py";
  int line = 0; // 0: unknown
  std::string function;
  bool operator==(const FrameSummary&) const = default;
};

/// `<FrameSummary file case.py, line 12 in program>`
std::string frameSummaryText(const FrameSummary& frame);

/// Why a captured Graph ends before its function does.
struct GraphBreakReport {
  std::string reason;
  std::vector<FrameSummary> userStack; // of the Program, outermost first
};

} // namespace touchstone::ir
