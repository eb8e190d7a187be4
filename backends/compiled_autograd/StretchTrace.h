#pragma once

#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"
#include "backends/compiled_autograd/BackwardTrace.h"
#include "backends/fake/Tracer.h"

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace touchstone::compiled_autograd {

/// The gradients of a backward while it is traced: which wait where, where a Program's code is called in between, and what of them
/// that code may hold from then on.
class StretchTrace {
 public:
  StretchTrace(const BackwardTask& task, const BackwardKey& key, fake::Tracer& tracer);

  WaitingGradients& gradients() { return gradients_; }
  void addInput(ir::NodeId placeholder, const SegmentInput& input, const at::Tensor& real);

  void beginStretch(size_t node, bool areHooksCalled);
  /// Before the nodes from `end` on. From here on all that waits may be held by others.
  void endStretch(size_t end);

  /// The wanted gradients of a node, handed out by the Graph, or before hooks, by whoever calls these.
  void handOut(size_t node, bool byGraph);
  void addEffect(SegmentOutput output, const at::Tensor& fake);
  /// Hands on what a node of the stretch has given, behind the hooks after it.
  void finish(size_t node, torch::autograd::variable_list results);

  /// The hooks on the gradients of a node, and, if it runs, those before it.
  void callBefore(size_t node);
  /// The node itself as the engine runs it, behind callBefore(), and the hooks after it.
  void runEagerly(size_t node);

  /// From here on nothing may stand for what a node gives that runs by itself: its sizes are not known. Throws
  /// symbols::NotSymbolic there.
  void refuseGivenResults() { refusesResults_ = true; }

  /// Somebody other than the trace may hold it.
  bool isGiven(const at::Tensor& fake) const { return given_.contains(fake.unsafeGetTensorImpl()); }

  /// Everything; holds no fake tensor afterwards.
  BackwardTrace take();

 private:
  void closeStretch(size_t end);
  void callHooks(size_t node, const char* kind, size_t first, size_t count, torch::autograd::variable_list& gradients,
                 const torch::autograd::variable_list* given = nullptr);
  void callHooksAfter(size_t node, torch::autograd::variable_list& results,
                      const torch::autograd::variable_list& given);
  void deliver(size_t node, torch::autograd::variable_list results, bool areCalled);
  at::Tensor sumOfCall(size_t node, const at::Tensor& sum, const at::Tensor& gradient);
  /// `number`: of the hook, among those of the node.
  TracedCall& addHookCall(size_t node, const char* kind, size_t number);
  TracedCall& addCall(const char* target, size_t node);
  at::Tensor result(c10::Device device, const std::function<at::Tensor()>& backing);
  void give(const at::Tensor& fake);
  static std::vector<ir::NodeId> nodesOf(const torch::autograd::variable_list& fakes);

  const BackwardTask& task_;
  const BackwardKey& key_;
  fake::Tracer& tracer_;
  BackwardTrace trace_;
  WaitingGradients gradients_;
  TracedStretch stretch_;
  bool refusesResults_ = false;
  size_t hooks_ = 0;
  std::unordered_map<ir::NodeId, TensorState> states_; // of real gradients, by placeholder
  std::vector<at::Tensor> kept_; // wanted gradients and new `.grad`s: they are held as in the engine
  std::vector<at::Tensor> held_; // what is given: no address is used twice
  std::unordered_set<const c10::TensorImpl*> given_;
};

} // namespace touchstone::compiled_autograd
