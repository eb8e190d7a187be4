#pragma once

#include "program/values/AutogradNodes.h"

#include <torch/csrc/autograd/function.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace touchstone::fake {

/// The order of the engine's queue: with the same comparison and the same pushes, equal numbers come out as they do there.
struct RunsLater {
  template <class Ready>
  bool operator()(const Ready& left, const Ready& right) const {
    return left.node->sequence_nr() < right.node->sequence_nr();
  }
};

/// True when the caller alone holds the gradient and its memory; null: reference counts decide.
using IsHeldAlone = std::function<bool(const at::Tensor&)>;

/// Adds to the sum of gradients that a node waits for: the engine's `accumulate` (torch/csrc/autograd/input_buffer.cpp). What
/// a sum is put into decides about its strides. An undefined gradient adds nothing.
void addGradient(at::Tensor& sum, at::Tensor gradient, const IsHeldAlone& isHeldAlone = nullptr);

/// The hooks on gradients of tensors, then those that retain gradients (torch/csrc/autograd/engine.cpp,
/// call_tensor_pre_hooks).
torch::autograd::variable_list callTensorHooks(torch::autograd::Node& node, torch::autograd::variable_list gradients);

/// Checks what a node gives against what its edges lead to, as the engine does, in the engine's words; sums up what was
/// broadcast and casts.
void checkResults(torch::autograd::Node& node, torch::autograd::variable_list& results);
/// The same, where the edges lead to gradients of other sizes than they say: `shapes`, by edge.
void checkResults(torch::autograd::Node& node, torch::autograd::variable_list& results,
                  const std::vector<std::vector<int64_t>>& shapes);

/// Computes the derivative; null: the node itself does.
using ApplyNode = torch::autograd::variable_list (*)(torch::autograd::Node& node,
                                                     torch::autograd::variable_list gradients);

/// The node with what belongs to a call of it but the hooks of callTensorHooks(): its own hooks before and after, and the
/// check of what it returns.
torch::autograd::variable_list callNode(torch::autograd::Node& node, torch::autograd::variable_list gradients,
                                        bool keepGraph, ApplyNode apply = nullptr);

// The parts of callNode(), in order.
torch::autograd::variable_list callPreHooks(torch::autograd::Node& node, torch::autograd::variable_list gradients);
torch::autograd::variable_list callBehindPreHooks(torch::autograd::Node& node, torch::autograd::variable_list gradients,
                                                  bool keepGraph, ApplyNode apply = nullptr);
torch::autograd::variable_list callPostHooks(torch::autograd::Node& node, torch::autograd::variable_list results,
                                             const torch::autograd::variable_list& given);

} // namespace touchstone::fake
