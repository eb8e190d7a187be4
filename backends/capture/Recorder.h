#pragma once

#include "graph/ir/Graph.h"
#include "graph/runtime/GraphCallable.h"
#include "program/values/Value.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace touchstone::backends {

/// Records what a Program calls, above autograd, as nodes of a Graph. Throws GraphBreak for what no Graph can hold.
class Recorder {
 public:
  /// `inputs`: each object once; one that nothing uses becomes no placeholder.
  Recorder(const std::vector<at::Tensor>& inputs, const std::vector<std::string>& names);

  /// As a graph::OperationHook.
  bool record(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  /// As EvaluatorOptions::onCallable.
  graph::Value record(const graph::CallableCall& call);
  /// The Program's line that nodes recorded from now on belong to.
  void setLine(int line) { line_ = line; }
  /// Operators that run while it is set belong to something else that was recorded.
  bool isPaused() const { return paused_; }

  int64_t operatorCount() const { return graph_.operatorCount(); }
  /// The node that a tensor is the result of; a tensor that no operator made becomes a constant.
  graph::NodeId nodeOf(const at::Tensor& tensor);
  /// The position among the inputs, -1: none.
  int inputOf(const at::Tensor& tensor) const;

  /// Whether a node is computed from any of these, or is one.
  bool dependsOn(graph::NodeId node, const std::set<graph::NodeId>& sources) const;

  /// The Graph with these outputs, its placeholders those inputs that are used, whose positions go to `used`.
  graph::Graph take(const std::vector<graph::NodeId>& outputs, std::vector<size_t>& used) const;

 private:
  graph::Argument argumentOf(const graph::Value& value);
  void note(const at::Tensor& tensor, graph::NodeId node);
  void noteResults(graph::NodeId node, const torch::jit::Stack& stack, size_t count);
  void noteResult(graph::NodeId node, const graph::Value& value);
  graph::NodeId finish(graph::NodeId node);

  graph::Graph graph_;
  std::unordered_map<const c10::TensorImpl*, graph::NodeId> nodes_;
  std::unordered_map<const c10::TensorImpl*, int> inputs_;
  std::unordered_map<const void*, graph::NodeId> handles_; // of hooks and regions
  std::vector<at::Tensor> kept_; // keeps addresses from being used again
  std::vector<graph::Value> handlesKept_;
  int line_ = 0;
  bool paused_ = false;
};

/// `aten::add.Tensor`.
std::string operatorName(const c10::FunctionSchema& schema);

} // namespace touchstone::backends
