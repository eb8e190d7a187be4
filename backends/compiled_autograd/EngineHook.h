#pragma once

#include "program/values/AutogradNodes.h"

#include <torch/csrc/autograd/graph_task.h>

#include <cstddef>

namespace touchstone::compiled_autograd {

/// What the engine calls in place of its own loop, on the thread of the backward. Threads without a scope run node by node there, in the
/// engine's order. `places`: how many gradients it hands out.
torch::autograd::variable_list runBackwardOfEngine(const values::NodePtr& root, const torch::autograd::GraphTask& task,
                                                   size_t places);

/// Sets the engine's hook, which is the process's, when the first scope of any thread begins; a hook of somebody else is lost.
void installEngineHook();
/// Takes it back when the last has ended and no backward of any thread is inside it any more.
void removeEngineHook() noexcept;

} // namespace touchstone::compiled_autograd
