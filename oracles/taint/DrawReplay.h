#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <vector>

namespace touchstone::taint {

enum class Replay {
  kDone, // the arguments on the stack are replaced by the results
  kNotNeeded, // this call draws nothing: run it
  kImpossible, // the draw cannot stand for the call: run it, and do not use the run
};

/// Lets a call of a random operator give what an earlier run drew there, converted to double precision. `writes`: the
/// tensors that the call writes to.
Replay replayDraw(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::vector<at::Tensor>& writes,
                  const std::vector<at::Tensor>& drawn);

} // namespace touchstone::taint
