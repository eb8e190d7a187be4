#pragma once

#include "backends/GraphCompiler.h"
#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"
#include "backends/compiled_autograd/BackwardTrace.h"
#include "backends/compiled_autograd/Segment.h"

#include <ATen/ThreadLocalState.h>

#include <cstddef>

namespace touchstone::compiled_autograd {

/// One backward as it runs: what has arrived where, and what is handed out.
class TaskRun {
 public:
  /// `places`: how many gradients are handed out. `state`: of the thread, as the engine's nodes have it.
  TaskRun(const BackwardTask& task, size_t places, const at::ThreadLocalState& state);

  /// Runs a node as the engine does (torch/csrc/autograd/engine.cpp, evaluate_function).
  void runEagerly(size_t node);
  /// The first part: hands out what is wanted of the node's gradients and calls the hooks on them, then those before the node.
  void callHooksBefore(size_t node);
  /// The second part.
  void runBehindHooks(size_t node);

  /// Runs what is compiled of the nodes of a segment, with what belongs to it out of the key, and the hooks after it.
  void runSegment(const Segment& segment, const backends::CompiledGraph& compiled, BackwardKey& key);

  const WaitingGradients& waiting() const { return waiting_; }
  torch::autograd::variable_list take() { return std::move(results_); }

 private:
  void release(const Segment& segment) const;
  std::vector<at::Tensor> inputsOf(const Segment& segment, BackwardKey& key);
  void handOutputs(const Segment& segment, std::vector<at::Tensor> outputs);
  void callHooksAfter(size_t node);
  void deliver(size_t node, torch::autograd::variable_list results);

  const BackwardTask& task_;
  const at::ThreadLocalState& state_;
  WaitingGradients waiting_;
  torch::autograd::variable_list results_;
  torch::autograd::variable_list ofLastNode_, givenToLastNode_; // for the hooks after the last node of a segment
};

} // namespace touchstone::compiled_autograd
