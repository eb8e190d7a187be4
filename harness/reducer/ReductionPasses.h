#pragma once

#include "graph/program/Case.h"
#include "harness/reducer/Reducer.h"

#include <functional>
#include <span>
#include <vector>

namespace touchstone::harness {

/// One way to make a Case smaller: all Cases that it proposes, the boldest first. They may be invalid: the judge decides.
struct ReductionPass {
  const char* name;
  std::function<std::vector<graph::Case>(const graph::Case& theCase, const GuiltyPlace& place)> candidates;
};

/// In the order in which they are tried.
std::span<const ReductionPass> reductionPasses();
/// The Case without statements that nothing visible depends on, parameters that are not read, watched tensors that
/// nothing is made of, functions that nobody calls.
graph::Case withoutDeadParts(const graph::Case& theCase);

// What each does is told by its name; they are in files by what they edit.
std::vector<graph::Case> keepFewerCalls(const graph::Case& theCase, const GuiltyPlace& place);
std::vector<graph::Case> keepWhatIsGuilty(const graph::Case& theCase, const GuiltyPlace& place);
std::vector<graph::Case> simplifyCalls(const graph::Case& theCase);
std::vector<graph::Case> dropStatements(const graph::Case& theCase);
std::vector<graph::Case> forwardStatements(const graph::Case& theCase);
std::vector<graph::Case> unwrapBlocks(const graph::Case& theCase);
std::vector<graph::Case> dropOutputs(const graph::Case& theCase);
std::vector<graph::Case> dropParameters(const graph::Case& theCase);
std::vector<graph::Case> dropWatched(const graph::Case& theCase);
std::vector<graph::Case> dropFunctions(const graph::Case& theCase);
std::vector<graph::Case> replaceByOperand(const graph::Case& theCase);
std::vector<graph::Case> shrinkNumbers(const graph::Case& theCase);

} // namespace touchstone::harness
