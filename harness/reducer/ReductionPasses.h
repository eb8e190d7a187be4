#pragma once

#include "program/language/Case.h"
#include "harness/reducer/Reducer.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace touchstone::harness {

/// One way to make a Case smaller: all Cases that it proposes, the boldest first. They may be invalid, and no smaller: the
/// judge and the measure decide.
struct ReductionPass {
  std::string name; // as `--passes` takes it
  std::string description; // a sentence
  std::function<std::vector<graph::Case>(const graph::Case& theCase, const GuiltyPlace& place)> candidates;
};

/// In the order in which they are tried.
std::span<const ReductionPass> reductionPasses();

/// What a person chooses, by name.
struct PassChoice {
  std::vector<std::string> only; // empty: all
  std::vector<std::string> without;
};
/// In the order of reductionPasses(). Throws WrongUse for an unknown name, with all that there are, and when none is left.
std::vector<const ReductionPass*> choosePasses(const PassChoice& choice);

/// The Case without statements that nothing visible depends on, parameters that are not read, watched tensors that
/// nothing is made of, functions that nobody calls.
graph::Case withoutDeadParts(const graph::Case& theCase);

// What each does is told by reductionPasses(); they are in files by what they edit.
std::vector<graph::Case> keepFewerCalls(const graph::Case& theCase, const GuiltyPlace& place);
std::vector<graph::Case> keepWhatIsGuilty(const graph::Case& theCase, const GuiltyPlace& place);
std::vector<graph::Case> dropGradients(const graph::Case& theCase);
std::vector<graph::Case> simplifyCalls(const graph::Case& theCase);
std::vector<graph::Case> dropOptions(const graph::Case& theCase);
std::vector<graph::Case> dropStatements(const graph::Case& theCase);
std::vector<graph::Case> forwardStatements(const graph::Case& theCase);
std::vector<graph::Case> replaceByInput(const graph::Case& theCase);
std::vector<graph::Case> unwrapBlocks(const graph::Case& theCase);
std::vector<graph::Case> dropOutputs(const graph::Case& theCase);
std::vector<graph::Case> dropParameters(const graph::Case& theCase);
std::vector<graph::Case> mergeInputs(const graph::Case& theCase);
std::vector<graph::Case> dropWatched(const graph::Case& theCase);
std::vector<graph::Case> dropFunctions(const graph::Case& theCase);
std::vector<graph::Case> inlineFunctions(const graph::Case& theCase);
std::vector<graph::Case> openRecords(const graph::Case& theCase);
std::vector<graph::Case> inlineNames(const graph::Case& theCase);
std::vector<graph::Case> replaceByOperand(const graph::Case& theCase);
std::vector<graph::Case> replaceByConstant(const graph::Case& theCase);
std::vector<graph::Case> simplifyAttributes(const graph::Case& theCase);
std::vector<graph::Case> shrinkNumbers(const graph::Case& theCase);
std::vector<graph::Case> simplifyLayouts(const graph::Case& theCase);
std::vector<graph::Case> dropDimensions(const graph::Case& theCase);
std::vector<graph::Case> shrinkSizes(const graph::Case& theCase);
std::vector<graph::Case> simplifyDtypes(const graph::Case& theCase);
std::vector<graph::Case> simplifyValues(const graph::Case& theCase);

} // namespace touchstone::harness
