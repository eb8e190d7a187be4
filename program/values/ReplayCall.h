#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace touchstone::values {

/// One run of what a backend compiled of a forward or backward Graph, as copies of what went in and came out, laid out and
/// sharing memory as the originals did. Or, of a stage that raised while it compiled, that.
struct ReplayCall {
  int frame = 0; // entry of CompiledProgram::stages()
  /// `forward`, `backward`; of one that raised while compiling also `joint`, `partition`. Or `captured`: the graph that
  /// Dynamo captured, run in Python on what its compiled code was given, without gradients.
  std::string stage;
  int forward = -1; // of a backward: the position of the ReplayCall whose saved values it got; -1: not known
  int captured = -1; // of a forward: the same of the `captured` run that it is a part of
  std::vector<at::Tensor> inputs; // for each placeholder of the Graph, before the run
  std::vector<at::Tensor> inputsAfter; // the same when it has run
  std::vector<at::Tensor> outputs; // undefined where there is no tensor
  /// Of a backward, for each output of its Graph: autograd's gradient of the captured graph on the same; undefined where it has
  /// none. Empty: `ungraded` says why.
  std::vector<at::Tensor> capturedGradients;
  std::string ungraded;
  at::Tensor generator; // state of the CPU's default generator before the run
  bool compiling = false;
  std::string raised; // in place of outputs
  std::string unusable; // why it cannot be made again; then there are no tensors
};

} // namespace touchstone::values
