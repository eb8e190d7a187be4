#pragma once

#include "program/evaluator/Calls.h"
#include "program/evaluator/CaseHooks.h"
#include "program/evaluator/CustomFunctions.h"
#include "program/evaluator/Expressions.h"
#include "program/evaluator/FunctionValues.h"
#include "program/evaluator/Statements.h"

namespace touchstone::evaluator {

/// The parts of an Evaluator; each is made of those above it. The last three walk over the tree, with no compiled form: an
/// operator costs a hundred times what its lookup does, and the decoder runs each statement once.
struct Evaluator::State {
  State(const language::Case& theCase, EvaluatorOptions options, std::shared_ptr<const OwnedProgram> owned = nullptr);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const language::Case& theCase;
  const EvaluatorOptions options;
  const torch_names::Dispatch dispatch;
  Precision precision;
  Limits limits{options.maximumStatements};
  Watchers watchers{options};
  Parameters parameters;
  Containers containers{limits, dispatch};
  Operators operators{containers, limits, watchers, parameters, dispatch};
  Modules modules{operators, containers, parameters, watchers, dispatch};
  Attributes attributes{modules, limits, watchers, dispatch};
  Gradients gradients{containers, options.wholeGradients};
  Builtins builtins{operators, containers, attributes, limits, watchers, dispatch};
  Calls calls{builtins, gradients, modules, precision};
  CaseHooks hooks{theCase, options, watchers};
  FunctionValues functionValues;
  CustomFunctions customFunctions{*this};
  Expressions expressions{*this};
  Statements statements{*this};
  const std::shared_ptr<State*> alive = std::make_shared<State*>(this); // for functions that may be called later
};

} // namespace touchstone::evaluator
