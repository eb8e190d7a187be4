#pragma once

#include "backends/aot_autograd/Pipeline.h"

#include <memory>
#include <vector>

namespace touchstone::aot_autograd {

/// A captured Graph compiled for inputs like those of one call: see assumptions() for what it takes for granted of them.
class CompiledAotGraph {
 public:
  /// Runs the pipeline(). Throws what the program throws, and ir::Unsupported.
  CompiledAotGraph(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs,
                   const AotOptions& options);

  const ViewAndMutationMetadata& plan() const { return record_->forward.plan; }
  const JointTrace& trace() const { return record_->forward.trace; }
  /// What the forward returns behind the memories of the plan.
  const SavedValues& saved() const { return record_->saved; }
  /// No other one of this process has or had it.
  uint64_t id() const { return id_; }

  std::vector<at::Tensor> runForward(std::vector<at::Tensor> inputs) const;
  /// False: a compiler was given it, and compiled nothing.
  bool isForwardCompiled() const { return forward_->isCompiled(); }
  /// Compiled when it is asked for the first time; that for tangents of all roots, laid out as planned, is there from the
  /// start. See BackwardGraphs::find().
  const CompiledBackwardGraph& backwardFor(size_t node, const TangentLayouts& layouts,
                                           const AutocastRegions& autocast = {},
                                           const UnaskedGradients& unasked = {}) const {
    return backwards_->find(node, layouts, autocast, unasked);
  }
  /// See BackwardGraphs::requireGrad().
  std::vector<bool> requireGrad(size_t node, const TangentLayouts& layouts, const std::vector<size_t>& roots) const {
    return backwards_->requireGrad(node, layouts, roots);
  }
  /// The recorded joint Graph runs: each Graph gets copies of the inputs, as they were, to write to.
  bool runsRecorded() const { return runs_ == AotResult::kJoint; }

  /// By placeholder of the captured Graph.
  std::vector<backends::Assumption> assumptions() const;
  bool onlyReads(size_t input) const { return record_->forward.onlyReads(input); }

 private:
  explicit CompiledAotGraph(Draft draft);

  const uint64_t id_;
  const AotResult runs_;
  const runtime::NodeWatch watch_;
  const std::unique_ptr<JointRecord> record_;
  const std::shared_ptr<const backends::CompiledGraph> forward_;
  const std::unique_ptr<BackwardGraphs> backwards_;
};

} // namespace touchstone::aot_autograd
