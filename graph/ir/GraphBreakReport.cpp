#include "graph/ir/GraphBreakReport.h"

namespace touchstone::ir {

std::string frameSummaryText(const FrameSummary& frame) {
  return "<FrameSummary file " + frame.file + ", line " + std::to_string(frame.line) + " in " + frame.function + ">";
}

} // namespace touchstone::ir
