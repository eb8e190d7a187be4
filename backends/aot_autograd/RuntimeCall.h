#pragma once

#include "backends/aot_autograd/CompiledAotGraph.h"

#include <memory>

namespace touchstone::aot_autograd {

/// Calls what was compiled: runs the forward Graph below autograd, then does to the arguments and to autograd what eager
/// would have done: writes back, bumps versions, moves inputs to other memory, makes outputs over the memory they share,
/// and ties them to one backward node. Returns the program's outputs.
std::vector<at::Tensor> callCompiled(const std::shared_ptr<const CompiledAotGraph>& compiled,
                                     std::vector<at::Tensor> inputs);

} // namespace touchstone::aot_autograd
