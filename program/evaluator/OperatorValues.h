#pragma once

#include "program/evaluator/Expressions.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>
#include <c10/util/ArrayRef.h>

#include <memory>
#include <string>

namespace touchstone::evaluator {

// Values of a Program as a custom operator takes and gives them, after `torch/csrc/jit/python/pybind_utils.h`.

/// The arguments of a call, in the schema's order, what is left out by its default. Raises RuntimeError for what the schema
/// does not take.
torch::jit::Stack boxedArguments(const c10::FunctionSchema& schema, const CallArguments& given);

/// What a function of the file is given for arguments in the schema's order. `leavesOutDefaults`: not those at the end that
/// are defaults of the schema, for which the function has its own.
values::ValueList unboxedArguments(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments,
                                   bool leavesOutDefaults);

/// Pushes what a function returned as the schema's results; raises what PyTorch does where it does not fit.
void pushResults(const c10::FunctionSchema& schema, const values::Value& returned, torch::jit::Stack& stack);

/// What the kernels of one custom operator run.
struct OperatorBodies {
  std::shared_ptr<const OwnedProgram> program;
  std::string function; // of the operator, by which the program finds it

  const language::CustomOperator& made() const { return *program->theCase.findCustomOperator(function); }
  /// `GeneratedBackwardFor_mine_scale_default`
  std::string nodeName() const;
  /// The program with the options of whoever calls, if there is someone.
  std::shared_ptr<const OwnedProgram> programOfCaller() const;
};

/// Options of the caller; null: none is known.
const EvaluatorOptions*& callerOptions();

/// The call under autograd, after torch/_library/autograd.py: what is called is the operator below it, and where a gradient is
/// wanted its results get a node that runs the registered `backward`.
void callUnderAutograd(const OperatorBodies& bodies, const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack);

} // namespace touchstone::evaluator
