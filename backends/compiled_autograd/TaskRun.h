#pragma once

#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"
#include "backends/compiled_autograd/Segment.h"
#include "backends/compiled_autograd/SegmentCapture.h"

#include <ATen/ThreadLocalState.h>

#include <cstddef>

namespace touchstone::compiled_autograd {

/// One backward as it runs: what has arrived where, and what is handed out.
class TaskRun {
 public:
  /// `places`: how many gradients are handed out. `state`: of the thread, as the engine's nodes have it.
  TaskRun(const BackwardTask& task, size_t places, const at::ThreadLocalState& state);

  /// Runs a node as the engine does (torch/csrc/autograd/engine.cpp, evaluate_function).
  void runEagerly(size_t node) {
    callHooks(node);
    runBelowHooks(node);
  }
  /// The first half: hands out what is wanted of the node's gradients and calls the hooks on them.
  void callHooks(size_t node);
  void runBelowHooks(size_t node);

  /// Runs what is compiled of the nodes of a segment. The last one takes the tensors out of the key.
  void runSegment(const Segment& segment, BackwardKey& key);

  const WaitingGradients& waiting() const { return waiting_; }
  torch::autograd::variable_list take() { return std::move(results_); }

 private:
  void release(const Segment& segment) const;
  std::vector<at::Tensor> inputsOf(const Segment& segment, BackwardKey& key);

  const BackwardTask& task_;
  const at::ThreadLocalState& state_;
  WaitingGradients waiting_;
  torch::autograd::variable_list results_;
};

} // namespace touchstone::compiled_autograd
