#include "tests/tool/EdgeClasses.h"

#include "oracles/observe/CallRunner.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"

namespace touchstone::tool {

Sight sightOf(const language::Case& theCase) {
  Sight sight{.theCase = theCase};
  for (const language::Function& function : theCase.functions) {
    if (!language::isInputsName(function.name) && function.name != "between") {
      sight.program += language::printFunction(function) + "\n";
    }
  }
  evaluator::Evaluator evaluator(theCase);
  const language::CallSpec& first = theCase.calls.at(0);
  const evaluator::InputSet inputs = evaluator.makeInputs(first.inputs.value_or("inputs"), first.seed, first.kind);
  for (const values::Value& argument : inputs.arguments) {
    sight.hasOtherArguments = sight.hasOtherArguments || !argument.maybe<at::Tensor>();
    values::collectTensors(argument, sight.given);
  }
  for (const values::Value& value : inputs.watched) {
    values::collectTensors(value, sight.watched);
  }
  sight.seen = observe::runCalls(theCase, *evaluator::eagerProgram(theCase));
  return sight;
}

} // namespace touchstone::tool
