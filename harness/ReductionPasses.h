#pragma once

#include "graph/program/Case.h"

#include <span>
#include <vector>

namespace touchstone::harness {

/// One way to make a Case smaller: all Cases that it proposes, the boldest first. They may be invalid: the judge decides.
struct ReductionPass {
  const char* name;
  std::vector<graph::Case> (*candidates)(const graph::Case& theCase);
};

/// In the order in which they are tried.
std::span<const ReductionPass> reductionPasses();

// What each does is told by its name; they are in files by what they edit.
std::vector<graph::Case> keepFewerCalls(const graph::Case& theCase);
std::vector<graph::Case> simplifyCalls(const graph::Case& theCase);
std::vector<graph::Case> dropStatements(const graph::Case& theCase);
std::vector<graph::Case> unwrapBlocks(const graph::Case& theCase);
std::vector<graph::Case> dropOutputs(const graph::Case& theCase);
std::vector<graph::Case> dropParameters(const graph::Case& theCase);
std::vector<graph::Case> dropWatched(const graph::Case& theCase);
std::vector<graph::Case> dropFunctions(const graph::Case& theCase);
std::vector<graph::Case> replaceByOperand(const graph::Case& theCase);
std::vector<graph::Case> shrinkNumbers(const graph::Case& theCase);

} // namespace touchstone::harness
