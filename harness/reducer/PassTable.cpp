#include "base/ExitStatus.h"
#include "harness/reducer/ReductionPasses.h"
#include "program/parser/CaseParserNames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace touchstone::reducer {

std::span<const ReductionPass> reductionPasses() {
  const auto anywhere = [](std::vector<language::Case> (*candidates)(const language::Case&)) {
    return [candidates](const language::Case& theCase, const GuiltyPlace&) { return candidates(theCase); };
  };
  // What takes away much comes first. What makes a Case plainer without making it shorter comes behind what makes it
  // shorter: there is less of it then.
  static const std::array kPasses{
      ReductionPass{"calls", "Keeps the call that fails, alone or with the calls that it may need.", keepFewerCalls},
      ReductionPass{"guilty", "Keeps what the output, argument or gradient that differs depends on.", keepWhatIsGuilty},
      ReductionPass{"gradients", "Drops backwards, and what makes inputs require gradients.", anywhere(dropGradients)},
      ReductionPass{"statements", "Drops statements, many at a time and then one by one.", anywhere(dropStatements)},
      ReductionPass{"outputs", "Drops what the Program returns, one by one.", anywhere(dropOutputs)},
      ReductionPass{"forward", "Drops a statement and puts one of its operands in its place.",
                    anywhere(forwardStatements)},
      ReductionPass{"regions", "Takes what is inside `with`, `if`, `for` and `while` out of it.",
                    anywhere(unwrapBlocks)},
      ReductionPass{"parameters", "Drops parameters that the Program does not read.", anywhere(dropParameters)},
      ReductionPass{"watched", "Drops watched tensors.", anywhere(dropWatched)},
      ReductionPass{"functions", "Drops functions and classes that nobody calls, and `once_differentiable`.",
                    anywhere(dropFunctions)},
      ReductionPass{"lift-functions", "Makes a function inside another, or a lambda with a name, one of the file.",
                    anywhere(liftInnerFunctions)},
      ReductionPass{"members",
                    "Drops methods, fields and decorators of classes, decorators of functions, and constants.",
                    anywhere(dropMembers)},
      ReductionPass{"inline-functions", "Puts a function's body, a custom function's too, where it is called once.",
                    anywhere(inlineFunctions)},
      ReductionPass{"records", "Passes the one field that is read of a module record in place of the record.",
                    anywhere(openRecords)},
      ReductionPass{"modes", "Resets what a call asks for to its default: kinds, seeds, modes, tangents.",
                    anywhere(simplifyCalls)},
      ReductionPass{"marks", "Drops marks of dimensions, all and then each from all inputs.", anywhere(dropMarks)},
      ReductionPass{"options", "Drops options of the compiler.", anywhere(dropOptions)},
      ReductionPass{"operands", "Puts an operand in the place of an expression.", anywhere(replaceByOperand)},
      ReductionPass{"inputs", "Puts a parameter in the place of what a statement assigns.", anywhere(replaceByInput)},
      ReductionPass{"constants", "Puts 1 or `torch.ones` in the place of an expression.", anywhere(replaceByConstant)},
      ReductionPass{"merge", "Makes two parameters one.", anywhere(mergeInputs)},
      ReductionPass{"attributes", "Drops arguments and items of lists, and makes numbers 0, 1 or 2.",
                    anywhere(simplifyAttributes)},
      ReductionPass{"layouts", "Makes inputs contiguous, without an offset, and not views.", anywhere(simplifyLayouts)},
      ReductionPass{"rank", "Drops a dimension of all tensors or of one input.", anywhere(dropDimensions)},
      ReductionPass{"sizes", "Makes the sizes of inputs 1 or 2, all and then one by one.", anywhere(shrinkSizes)},
      ReductionPass{"symbols", "Makes a size smaller in all inputs that a call gets at once.", anywhere(shrinkSymbols)},
      ReductionPass{"numbers", "Makes a number smaller wherever it stands.", anywhere(shrinkNumbers)},
      ReductionPass{"dtypes", "Makes a dtype float32, or else int64 or bool.", anywhere(simplifyDtypes)},
      ReductionPass{"values", "Makes an input ones, as long as another has values of the call.",
                    anywhere(simplifyValues)},
      ReductionPass{"inline-names", "Puts what a name holds where the name is read once.", anywhere(inlineNames)},
  };
  return kPasses;
}

namespace {

std::string unknownPassText(const std::string& name) {
  std::vector<std::string> valid;
  for (const ReductionPass& pass : reductionPasses()) {
    valid.emplace_back(pass.name);
  }
  return fmt::format(
      "There is no reduction pass `{}`{}. The passes are {}; `touchstone reduce --list-passes` says what each does.",
      name, parser::suggestion(parser::nearestNames(name, {valid.begin(), valid.end()})), fmt::join(valid, ", "));
}

} // namespace

std::vector<const ReductionPass*> choosePasses(const PassChoice& choice) {
  const std::span<const ReductionPass> all = reductionPasses();
  const auto find = [&](const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ReductionPass& pass) { return pass.name == name; });
    if (found == all.end()) {
      throw base::WrongUse(unknownPassText(name));
    }
    return &*found;
  };
  std::vector<const ReductionPass*> only, without;
  std::transform(choice.only.begin(), choice.only.end(), std::back_inserter(only), find);
  std::transform(choice.without.begin(), choice.without.end(), std::back_inserter(without), find);
  const auto isIn = [](const std::vector<const ReductionPass*>& some, const ReductionPass& pass) {
    return std::find(some.begin(), some.end(), &pass) != some.end();
  };
  std::vector<const ReductionPass*> chosen;
  for (const ReductionPass& pass : all) {
    if ((only.empty() || isIn(only, pass)) && !isIn(without, pass)) {
      chosen.push_back(&pass);
    }
  }
  if (chosen.empty()) {
    throw base::WrongUse("No pass is left to reduce with. `touchstone reduce --list-passes` shows all.");
  }
  return chosen;
}

} // namespace touchstone::reducer
