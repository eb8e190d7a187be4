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

namespace touchstone::capture {

/// Records what a Program calls, above autograd, as nodes of a Graph. Throws GraphBreak for what no Graph can hold.
class Recorder {
 public:
  /// `inputs`: each object once; one that nothing uses becomes no placeholder.
  Recorder(const std::vector<at::Tensor>& inputs, const std::vector<std::string>& names);

  /// As a evaluator::OperationHook.
  bool record(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  /// As EvaluatorOptions::onCallable.
  values::Value record(const runtime::CallableCall& call);
  /// The Program's line that nodes recorded from now on belong to.
  void setLine(int line) { line_ = line; }
  /// Operators that run while it is set belong to something else that was recorded.
  bool isPaused() const { return paused_; }

  int64_t operatorCount() const { return graph_.operatorCount(); }
  /// The node that a tensor is the result of; a tensor that no operator made becomes a constant.
  ir::NodeId nodeOf(const at::Tensor& tensor);
  /// The position among the inputs, -1: none.
  int inputOf(const at::Tensor& tensor) const;

  /// Whether a node is computed from any of these, or is one.
  bool dependsOn(ir::NodeId node, const std::set<ir::NodeId>& sources) const;

  /// The Graph with these outputs, its placeholders those inputs that are used, whose positions go to `used`.
  ir::Graph take(const std::vector<ir::NodeId>& outputs, std::vector<size_t>& used) const;

 private:
  ir::Argument argumentOf(const values::Value& value);
  void note(const at::Tensor& tensor, ir::NodeId node);
  void noteResults(ir::NodeId node, const torch::jit::Stack& stack, size_t count);
  void noteResult(ir::NodeId node, const values::Value& value);
  ir::NodeId finish(ir::NodeId node);

  ir::Graph graph_;
  std::unordered_map<const c10::TensorImpl*, ir::NodeId> nodes_;
  std::unordered_map<const c10::TensorImpl*, int> inputs_;
  std::unordered_map<const void*, ir::NodeId> handles_; // of hooks and regions
  std::vector<at::Tensor> kept_; // keeps addresses from being used again
  std::vector<values::Value> handlesKept_;
  int line_ = 0;
  bool paused_ = false;
};

/// `aten::add.Tensor`.
std::string operatorName(const c10::FunctionSchema& schema);

} // namespace touchstone::capture
