#pragma once

#include "harness/reducer/Reducer.h"
#include "program/language/Case.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace touchstone::reducer {

/// One way to make a Case smaller: all Cases that it proposes, the boldest first. They may be invalid, and no smaller: the
/// judge and the measure decide.
struct ReductionPass {
  std::string name; // as `--passes` takes it
  std::string description; // a sentence
  std::function<std::vector<language::Case>(const language::Case& theCase, const GuiltyPlace& place)> candidates;
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
language::Case withoutDeadParts(const language::Case& theCase);

// What each does is told by reductionPasses(); they are in files by what they edit.
std::vector<language::Case> keepFewerCalls(const language::Case& theCase, const GuiltyPlace& place);
std::vector<language::Case> keepWhatIsGuilty(const language::Case& theCase, const GuiltyPlace& place);
std::vector<language::Case> dropGradients(const language::Case& theCase);
std::vector<language::Case> simplifyCalls(const language::Case& theCase);
std::vector<language::Case> dropOptions(const language::Case& theCase);
std::vector<language::Case> dropStatements(const language::Case& theCase);
std::vector<language::Case> forwardStatements(const language::Case& theCase);
std::vector<language::Case> replaceByInput(const language::Case& theCase);
std::vector<language::Case> unwrapBlocks(const language::Case& theCase);
std::vector<language::Case> dropOutputs(const language::Case& theCase);
std::vector<language::Case> dropParameters(const language::Case& theCase);
std::vector<language::Case> mergeInputs(const language::Case& theCase);
std::vector<language::Case> dropWatched(const language::Case& theCase);
std::vector<language::Case> dropFunctions(const language::Case& theCase);
std::vector<language::Case> liftInnerFunctions(const language::Case& theCase);
std::vector<language::Case> inlineFunctions(const language::Case& theCase);
std::vector<language::Case> openRecords(const language::Case& theCase);
std::vector<language::Case> inlineNames(const language::Case& theCase);
std::vector<language::Case> replaceByOperand(const language::Case& theCase);
std::vector<language::Case> replaceByConstant(const language::Case& theCase);
std::vector<language::Case> simplifyAttributes(const language::Case& theCase);
std::vector<language::Case> shrinkNumbers(const language::Case& theCase);
std::vector<language::Case> simplifyLayouts(const language::Case& theCase);
std::vector<language::Case> dropDimensions(const language::Case& theCase);
std::vector<language::Case> shrinkSizes(const language::Case& theCase);
std::vector<language::Case> dropMarks(const language::Case& theCase);
std::vector<language::Case> shrinkSymbols(const language::Case& theCase);
std::vector<language::Case> simplifyDtypes(const language::Case& theCase);
std::vector<language::Case> simplifyValues(const language::Case& theCase);

} // namespace touchstone::reducer
