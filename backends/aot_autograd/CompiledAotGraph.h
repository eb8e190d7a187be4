#pragma once

#include "backends/aot_autograd/BackwardGraphs.h"
#include "backends/aot_autograd/Pipeline.h"
#include "graph/symbols/Expression.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace touchstone::aot_autograd {

class CompiledAotGraph;

/// What was compiled for symbols.
struct AotFamily {
  uint64_t id = 0; // see CompiledAotGraph::id()
  /// For any sizes that its guards allow.
  std::function<std::shared_ptr<const CompiledAotGraph>(const symbols::Assignment& assignment)> at;
};

/// What a captured Graph was compiled to for some sizes, for others: of one structure with it, in which numbers are others.
struct AotGraphForSizes {
  std::shared_ptr<const AotFamily> family;
  symbols::Assignment assignment; // which of the family it is
  std::shared_ptr<const CompiledAotGraph> model;
  ViewAndMutationMetadata plan;
  std::shared_ptr<const backends::CompiledGraph> forward;
  std::map<BackwardGraphs::Key, CompiledBackwardGraph> backwards; // that were planned
  /// Compiles the Graph for these sizes alone, for a backward that was not planned.
  std::function<std::shared_ptr<const CompiledAotGraph>()> compileWhole;
};

/// A captured Graph compiled for inputs like those of one call: see assumptions() for what it takes for granted of them.
class CompiledAotGraph {
 public:
  /// Runs the pipeline(). Throws what the program throws, and ir::Unsupported.
  CompiledAotGraph(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs,
                   const AotOptions& options);
  explicit CompiledAotGraph(AotGraphForSizes parts);

  const ViewAndMutationMetadata& plan() const { return parts_ ? parts_->plan : record_->forward.plan; }
  /// Sizes in it may be others than those that this is for.
  const JointTrace& trace() const { return parts_ ? parts_->model->trace() : record_->forward.trace; }
  /// For its sizes.
  const JointTrace& traceForSizes() const { return parts_ ? whole().trace() : trace(); }
  /// What the forward returns behind the memories of the plan.
  const SavedValues& saved() const { return parts_ ? parts_->model->saved() : record_->saved; }
  /// No other one of this process has or had it, nor an AotFamily.
  uint64_t id() const { return id_; }
  static uint64_t nextId();
  /// Null: it was not compiled for symbols.
  const AotFamily* family() const { return parts_ ? parts_->family.get() : nullptr; }
  symbols::Assignment assignment() const { return parts_ ? parts_->assignment : symbols::Assignment(); }

  std::vector<at::Tensor> runForward(std::vector<at::Tensor> inputs) const;
  /// False: a compiler was given it, and compiled nothing.
  bool isForwardCompiled() const { return forward_->isCompiled(); }
  /// Compiled when it is asked for the first time; that for tangents of all roots, laid out as planned, is there from the
  /// start. See BackwardGraphs::find().
  const CompiledBackwardGraph& backwardFor(size_t node, const TangentLayouts& layouts,
                                           const AutocastRegions& autocast = {},
                                           const UnaskedGradients& unasked = {}) const;
  /// See BackwardGraphs::requireGrad().
  std::vector<bool> requireGrad(size_t node, const TangentLayouts& layouts, const std::vector<size_t>& roots) const {
    return parts_ ? whole().requireGrad(node, layouts, roots) : backwards_->requireGrad(node, layouts, roots);
  }
  /// The recorded joint Graph runs: each Graph gets copies of the inputs, as they were, to write to.
  bool runsRecorded() const { return runs_ == AotResult::kJoint; }

  /// By placeholder of the captured Graph.
  std::vector<backends::Assumption> assumptions() const;
  bool onlyReads(size_t input) const {
    return parts_ ? parts_->model->onlyReads(input) : record_->forward.onlyReads(input);
  }

  // What it is made of, to make it for other sizes.
  const std::shared_ptr<const backends::CompiledGraph>& forward() const { return forward_; }
  const BackwardGraphs& backwards() const { return *backwards_; }
  const std::optional<JointCut>& cut() const { return record_->cut; }

 private:
  explicit CompiledAotGraph(Draft draft);
  const CompiledAotGraph& whole() const;

  const uint64_t id_;
  const AotResult runs_;
  const runtime::NodeWatch watch_;
  const std::unique_ptr<JointRecord> record_;
  const std::shared_ptr<const backends::CompiledGraph> forward_;
  const std::unique_ptr<BackwardGraphs> backwards_;
  const std::unique_ptr<AotGraphForSizes> parts_; // instead of a record and backwards
  mutable std::once_flag wholeIsMade_;
  mutable std::shared_ptr<const CompiledAotGraph> whole_;
};

} // namespace touchstone::aot_autograd
