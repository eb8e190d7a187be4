#pragma once

namespace touchstone::ir {

// In a captured backward (CapturedBackward.h), the callables that are no operators of a Graph.

/// Calls a Program's hook, an element of the placeholder `hooks`, with gradients, its BackwardState, if it carries one, and the
/// kind of the hook; gives what takes their place.
constexpr const char* kCallHook = "compiled_autograd::call_hook";
/// Runs a node of autograd that cannot be traced, an element of the placeholder `hooks`, with what its results look like (dtype,
/// sizes, device) and its gradients.
constexpr const char* kCallBackward = "compiled_autograd::call_backward";
/// Accumulates a gradient that others may hold: whether it becomes the `.grad` itself is known when it runs. The second argument is
/// the number of the node.
constexpr const char* kAccumulateGrad = "compiled_autograd::accumulate_grad";
/// Adds what a call has given to what the next node waits for.
constexpr const char* kAccumulate = "compiled_autograd::accumulate";
/// Sets the `.grad` of a leaf that has none: its arguments are the gradient and the number of the node that accumulates, as in its
/// origin (`NodeCall 4`).
constexpr const char* kSetGrad = "compiled_autograd::set_grad";

} // namespace touchstone::ir
