#pragma once

#include "program/values/AutogradNodes.h"

#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/graph_task.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace touchstone::compiled_autograd {

/// Where a gradient that a node gives goes; `node` is -1 where nobody takes it.
struct TaskEdge {
  int64_t node = -1; // position in BackwardTask::nodes
  uint32_t input = 0;
};

/// A node that the engine would visit.
struct TaskNode {
  values::NodePtr node;
  bool runs = true; // otherwise its hooks on gradients are called, and its gradients are handed out
  std::vector<std::pair<size_t, size_t>> wanted; // which of its gradients are handed out, and at which place
  std::vector<TaskEdge> edges; // by output
};

/// What one backward does, in the order in which the engine does it: by sequence number among the nodes that are ready
/// (torch/csrc/autograd/engine.cpp, evaluate_function and ReadyQueue). The order does not depend on values.
struct BackwardTask {
  std::vector<TaskNode> nodes; // the first is the engine's own root, which hands out the tangents
  bool keepGraph = false;
};

/// `root` and `task` as the engine hands them to compiled autograd. Throws c10::Error where nodes of the graph wait for ever.
BackwardTask planTask(const values::NodePtr& root, const torch::autograd::GraphTask& task);

} // namespace touchstone::compiled_autograd
