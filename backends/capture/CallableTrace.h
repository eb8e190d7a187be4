#pragma once

#include "backends/capture/CallableCapture.h"
#include "backends/capture/SymbolicTrace.h"
#include "graph/ir/Graph.h"
#include "program/values/Value.h"

#include <optional>
#include <string>
#include <vector>

namespace touchstone::capture {

/// What one run of a C++ function on fake tensors has given.
struct CallableTrace {
  struct Output { // both -1: None
    int input = -1; // among `inputs`: the very object
    int graph = -1; // among the Graph's outputs
  };
  ir::Graph graph; // above autograd; its output a flat tuple
  std::vector<at::Tensor> inputs; // the call's tensors, each object once
  std::vector<size_t> used; // by placeholder: its position in `inputs`
  std::vector<Output> outputs;
  std::optional<bool> gradModeAfter; // when the function has switched it
};

/// Runs the function on fake copies of `locals` (its arguments, then heldTensors() when it holds any). The tensors, the
/// default generator and the thread's modes stay as they are. Throws as captureCallable() says.
CallableTrace traceCallable(const CallableProgram& program, const values::ValueList& locals, fake::Backing backing);

/// What the function holds, as a module record.
values::Value heldTensors(const CallableProgram& program);
/// Of the arguments, then `self`.
std::vector<std::string> localNames(const CallableProgram& program, const values::ValueList& locals);

/// What stands for values while a program is traced.
enum class TracingMode {
  kReal, // the values of the example
  kFake, // nothing: tensors without values
};

/// The operators that reach the backends when the function runs on such tensors, below autograd and autocast, with their
/// writes: one placeholder an input, and the outputs as a tuple. The role of make_fx. Throws what the function throws;
/// reading a data pointer throws c10::Error in each mode.
ir::Graph traceBelowAutograd(const CallableProgram::Function& function, const std::vector<at::Tensor>& inputs,
                             TracingMode mode);
/// The same for tensors of other sizes, too, without values: make_fx with `tracing_mode="symbolic"`.
SymbolicTrace traceForSymbols(const CallableProgram::Function& function, const std::vector<at::Tensor>& inputs);

} // namespace touchstone::capture
