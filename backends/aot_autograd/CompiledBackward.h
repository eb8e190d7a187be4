#pragma once

#include "backends/aot_autograd/CompiledAotGraph.h"
#include "program/evaluator/Hooks.h"
#include "program/values/GeneratorState.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

namespace touchstone::aot_autograd {

/// The backward of one call of a compiled Graph, as a node of autograd's graph; outputs whose graphs do not meet get nodes
/// of their own. Saved tensors go through SavedVariable: versions are checked, hooks on saved tensors run.
class CompiledBackward final : public evaluator::CompiledNode {
 public:
  /// `node`: of the plan.
  CompiledBackward(std::shared_ptr<const CompiledAotGraph> graph, size_t node) : graph_(std::move(graph)), node_(node) {
    for (const int64_t value : graph_->assignment()) {
      symbols_.emplace_back(value);
    }
  }
  /// All that the forward saved; it keeps those that it may read.
  void save(const std::vector<at::Tensor>& saved);
  /// The inputs as they were when the call began and the states of the generators then, to run the forward again from.
  void keepBeginning(std::vector<at::Tensor> inputs, values::GeneratorState generators);
  /// The inputs that it writes to, by storage of inputs; those that it does not are undefined.
  void keepWritten(std::vector<at::Tensor> inputs) { written_ = std::move(inputs); }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& tangents) override;
  void release_variables() override;
  /// Under compiled autograd the backward Graph becomes part of the Graph that is captured, with what it has saved as inputs.
  /// Throws ir::Unsupported where it runs by itself: where it cannot be called again, runs the forward anew, or does not
  /// reach all gradients.
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override;
  torch::autograd::variable_list apply_with_saved(const torch::autograd::variable_list& tangents,
                                                  torch::dynamo::autograd::SwapSavedVariables& swap) override;
  std::string name() const override { return "CompiledFunctionBackward"; }
  bool isPartial(size_t output) const override;
  bool hasSizesBuiltIn() const override { return graph_->family() == nullptr; }

 private:
  /// `reached`: by gradient, whether the tangents that there are lead to it.
  bool isAskedFor(const std::vector<bool>& reached) const;
  void endUnreached(const std::vector<bool>& reached) const;
  const CompiledBackwardGraph& backwardFor(const torch::autograd::variable_list& tangents, TangentLayouts layouts,
                                           const AutocastRegions& autocast, const UnaskedGradients& unasked = {}) const;
  UnaskedGradients unaskedOf(const std::vector<bool>& reached) const;
  bool markShared(const torch::autograd::variable_list& tangents, TangentLayouts& layouts) const;
  void writeTangents(const CompiledBackwardGraph& compiled, const torch::autograd::variable_list& tangents,
                     const std::vector<at::Tensor>& results) const;
  std::vector<at::Tensor> memoryOfWritten(const CompiledBackwardGraph& compiled) const;
  torch::autograd::variable_list gradientsOf(const CompiledBackwardGraph& compiled, std::vector<at::Tensor> results,
                                             const std::vector<const c10::StorageImpl*>& memoryOfTangents,
                                             std::vector<at::Tensor>* held) const;
  void writeInputs(const CompiledBackwardGraph& compiled, const std::vector<at::Tensor>& memory,
                   const std::vector<at::Tensor>& results) const;
  torch::autograd::variable_list traceGraph(const torch::autograd::variable_list& tangents) const;

  std::shared_ptr<const CompiledAotGraph> graph_;
  size_t node_;
  std::vector<c10::SymInt> symbols_; // of what was compiled for symbols: what they are
  std::mutex savedMutex_; // two backwards of one call may run at the same time
  std::vector<torch::autograd::SavedVariable> saved_;
  std::vector<at::Tensor> inputs_; // nobody else's memory
  std::vector<at::Tensor> held_; // gradients of the last backward; see gradientsOf()
  values::GeneratorState generators_;
  std::vector<at::Tensor> written_;
  /// Eager's nodes that ran in a backward that releases what they saved raise the next time, others do not.
  bool wasReleased(const JointTrace::Run& run) const;

  std::optional<JointTrace::Run> lastRun_; // none: the last backward ran none of eager's nodes, or failed before
  std::vector<JointTrace::Run> released_;
  bool isReleased_ = false; // all that was saved
};

/// Where autograd does not run a node of a compiled Graph, asks the Program's hooks that eager's nodes have there.
class HooksOfUnneeded final : public evaluator::CompiledNodeHooks {
 public:
  /// The nodes of one call by root of the plan, filled in until the call is over.
  using NodesOfRoots = std::vector<const torch::autograd::Node*>;
  /// `node` owns this; `roots`: of the plan, by input of the node.
  HooksOfUnneeded(std::shared_ptr<const CompiledAotGraph> graph, const torch::autograd::Node& node,
                  std::vector<size_t> roots, std::shared_ptr<const NodesOfRoots> all)
      : graph_(std::move(graph)), node_(&node), roots_(std::move(roots)), all_(std::move(all)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override;

 private:
  std::shared_ptr<const CompiledAotGraph> graph_;
  const torch::autograd::Node* node_;
  std::vector<size_t> roots_;
  std::shared_ptr<const NodesOfRoots> all_; // may be gone, and are not looked into
};

/// The node of an output whose base was changed: autograd makes it a new one or refuses to; this one is never reached.
class StaleView final : public torch::autograd::Node {
 public:
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    throw std::logic_error("a view whose base was changed in place was reached by a backward");
  }
  std::string name() const override { return "CompiledFunctionViewBackward"; }
};

/// The node of an output that is a view: autograd wants such a node to have one output only.
class ViewOfCompiled final : public evaluator::CompiledNode {
 public:
  explicit ViewOfCompiled(bool isPartial) : isPartial_(isPartial) {}
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    return std::move(gradients);
  }
  void compiled_args(torch::dynamo::autograd::CompiledNodeArgs&) const override {}
  torch::autograd::variable_list apply_with_saved(const torch::autograd::variable_list& gradients,
                                                  torch::dynamo::autograd::SwapSavedVariables&) override {
    return gradients;
  }
  std::string name() const override { return "CompiledFunctionViewBackward"; }
  bool isPartial(size_t output) const override { return isPartial_; }
  bool hasSizesBuiltIn() const override { return false; }

 private:
  bool isPartial_;
};

} // namespace touchstone::aot_autograd
