#include "graph/ir/GraphBreakReport.h"

namespace touchstone::graph {

std::string frameSummaryText(const FrameSummary& frame) {
  return "<FrameSummary file " + frame.file + ", line " + std::to_string(frame.line) + " in " + frame.function + ">";
}

} // namespace touchstone::graph
