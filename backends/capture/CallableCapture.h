#pragma once

#include "backends/capture/Capture.h"
#include "program/values/CompiledProgram.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::capture {

/// A program that is a C++ function of tensors.
struct CallableProgram {
  using Function = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& arguments)>;

  Function function;
  /// Names of the arguments, for guards and Graphs: `L['x']`. `x0`, `x1`, … where there are none.
  std::vector<std::string> parameters;
  /// Tensors that the function holds, as a module holds parameters and buffers: `{"conv.weight", weight}`. They are
  /// inputs of the Graphs, and guarded as `L['self'].conv.weight`.
  std::vector<std::pair<std::string, at::Tensor>> held;
  std::string name = "function"; // for messages
};

/// The function, captured into one Graph for each kind of arguments that it is called with, with guards and a cache as
/// captureProgram() has them: it runs once on fake tensors, and what operators it calls is recorded above autograd. Takes
/// tensors as arguments, returns a tuple of tensors and None. Once `recompileLimit` is reached the function runs as it is.
///
/// A C++ function cannot be resumed in its middle, so what no Graph can hold is ir::Unsupported, with the operator's
/// name: reading values from tensors (`item()`) or a data pointer, a tensor that the function holds and that is not among
/// `held`, a change of autograd's state by other means than operators (a custom autograd function outside of an operator,
/// `backward()`), autocast regions. Everything that the function could read of its tensors but the values is guarded:
/// identity, offsets, sharing, leaves, too. What it reads from elsewhere is not, and must not change between calls.
std::unique_ptr<values::CompiledProgram> captureCallable(CallableProgram program, CaptureOptions options = {});

} // namespace touchstone::capture
