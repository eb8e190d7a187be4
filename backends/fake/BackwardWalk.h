#pragma once

#include <torch/csrc/autograd/function.h>

#include <functional>

namespace touchstone::fake {

struct BackwardWalkOptions {
  /// Otherwise the saved tensors of each node that ran are released, and a second walk through it throws.
  bool keepGraph = false;
  /// As `backward()`: everything that is reached runs, AccumulateGrad nodes fill `.grad`, and the wanted gradients are
  /// handed out besides (one that is handed out is copied into `.grad`, where it would otherwise become it).
  /// Otherwise as `torch.autograd.grad`: only what leads to `wanted` runs, and a wanted node from which no other wanted
  /// node is reached does not.
  bool accumulate = false;
  /// Nodes run in gradient mode: `create_graph`.
  bool createGraph = false;
  /// True when the walk alone holds the gradient and its memory: the sum is then put there, as the engine does. By default
  /// reference counts decide.
  std::function<bool(const at::Tensor&)> isHeldAlone;
  /// Called with the position of each wanted gradient that another node, or the caller as a tangent, holds, too, when it is
  /// handed out: a leaf takes no such tensor for its `.grad` as it is.
  std::function<void(size_t)> onHeld;
  /// Called before each node that runs; torch::autograd::get_current_node() knows the engine's nodes only.
  std::function<void(const torch::autograd::Node&)> onNode;
};

/// Runs autograd nodes from `roots` on the calling thread and returns the gradient of each wanted edge, undefined where
/// nothing arrived. `tangents` has one tensor a root; an undefined one counts as zero.
///
/// It does what `torch::autograd::Engine::execute` does, without the engine: order of nodes, sums, hooks, checks of
/// gradients against what each node expects and their error texts (torch/csrc/autograd/engine.cpp, evaluate_function and
/// call_function), released variables, gradient mode. Each node runs in the thread-local state of the caller, which
/// is there again afterwards, also when something throws. After an exception the nodes that ran have released their
/// variables and filled their `.grad`; nothing else has changed.
///
/// Reads no tensor data and no storage, so it is fit for tensors without any; all state is its own, so that threads may
/// walk at the same time what the engine may run at the same time.
///
/// It is not the engine in these respects:
/// - Nodes cannot ask what is needed, so they compute the gradients of all their inputs. Those not needed are dropped, but
///   an error in one of them shows.
/// - There is no anomaly mode and there are no final callbacks; devices are not switched.
///
/// Throws c10::Error for an edge without a node or beyond its node's inputs, and inside a `torch.autograd.grad` of the
/// engine on this thread, whose nodes would be asked in place of these.
torch::autograd::variable_list walkBackward(const torch::autograd::edge_list& roots,
                                            torch::autograd::variable_list tangents,
                                            const torch::autograd::edge_list& wanted,
                                            const BackwardWalkOptions& options = {});

} // namespace touchstone::fake
