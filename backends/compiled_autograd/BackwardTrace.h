#pragma once

#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTask.h"
#include "backends/compiled_autograd/LiftedNumbers.h"
#include "backends/compiled_autograd/Segment.h"
#include "graph/ir/Graph.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::compiled_autograd {

/// The gradients that nodes wait for, by node of the task; empty: none has arrived.
using WaitingGradients = std::vector<torch::autograd::variable_list>;

/// What a capture begins with.
struct CaptureStart {
  size_t begin = 0;
  bool areHooksCalled = false; // those before the first node, and its wanted gradients handed out
  /// What the sizes of lifted tensors, and lifted sizes, are taken for; null: for what they are. No gradient waits then.
  const LiftedNumbers* as = nullptr;
};

/// A call of what is no operator, at its place in a trace.
struct TracedCall {
  const char* target = nullptr; // see graph/ir/BackwardCalls.h
  size_t node = 0; // of the task
  std::string hookKind; // `tensor_pre_hook`; of ir::kCallHook
  std::optional<size_t> hook; // which element of `hooks` it calls
  std::optional<size_t> state; // which element of `hooks` is the BackwardState of that hook
  size_t before = 0; // the node of the trace that it precedes
  std::vector<std::vector<ir::NodeId>> arguments; // lists; -1: undefined
  std::vector<ir::NodeId> results; // the placeholders that stand for them in the trace; -1: undefined
};

/// A part of a trace without calls.
struct TracedStretch {
  Segment segment; // without its Graph and inputs
  size_t firstNode = 0, endNode = 0; // of the trace
  std::vector<std::pair<GradientSlot, ir::NodeId>> given; // gradients that wait as it begins
  std::vector<ir::NodeId> outputs; // by Segment::outputs
};

/// A size that an operator of a trace reads.
struct TracedSize {
  ir::NodeId node = -1; // the placeholder that stands for it
  size_t index = 0; // among what the key has lifted
  int64_t value = 0;
};

/// A whole backward, or what is left of one, as one Graph in which calls are placeholders, and where these are.
struct BackwardTrace {
  ir::Graph graph;
  std::vector<std::pair<ir::NodeId, SegmentInput>> inputs;
  std::vector<TracedSize> sizes;
  std::vector<TracedCall> calls; // in order
  std::vector<TracedStretch> stretches; // in order
  std::map<size_t, ir::NodeId> wanted; // by place
};

/// What is known of nodes that a trace cannot treat as others.
struct TraceLimits {
  std::set<size_t>& eager; // they are not traceable
  std::set<size_t> withPlainSizes = {}; // their code takes numbers alone
};

/// Traces the nodes of a task from `start.begin` on, on copies of what they would get: no tensor is changed, nor the generators.
/// What a Program's code gives is taken for a copy of its argument that keeps its strides, or what the edges of a node say.
/// `limits`: nodes that are found to belong there are added. Nothing: one of these has left a part of what it does behind, so that
/// it must be tried again. Throws symbols::NotSymbolic where sizes are taken for others, and a node cannot be traced for these.
std::optional<BackwardTrace> traceBackward(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                                           const CaptureStart& start, TraceLimits& limits);

} // namespace touchstone::compiled_autograd
