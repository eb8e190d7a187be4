#pragma once

#include "program/evaluator/Evaluator.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <memory>
#include <string>

namespace touchstone::evaluator {

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
