#pragma once

#include "backends/aot_autograd/Functionalizer.h"
#include "backends/aot_autograd/JointTrace.h"
#include "backends/aot_autograd/Partition.h"
#include "backends/aot_autograd/RuntimePlan.h"
#include "graph/ir/StageArtifacts.h"
#include "graph/program/Interpreter.h"

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace touchstone::backends {

/// How a frame is compiled.
struct AotOptions {
  Beneath beneath = Beneath::kValues;
  std::optional<c10::Device> claimed; // trace as though all arguments were there; see Tracer
  std::vector<std::shared_ptr<graph::StageHook>> hooks; // between stages
};

/// The compiled backward of one node of the plan, for one choice of roots that have a tangent and of their layouts.
struct CompiledBackwardGraph {
  std::unique_ptr<graph::Interpreter> graph;
  std::vector<size_t> saved; // positions among the frame's saved values, in the order of the placeholders
  std::vector<size_t> tangents; // roots, after them
  bool readsGrad = false; // something saved may require grad, so that the gradients could be differentiated again
};

/// A program compiled for one exact set of arguments: their metadata, aliasing and identity, and the modes that are on.
///
/// Stages, in order: `captured` (operators with their writes, forward alone), `joint` (the backward behind it),
/// `functional` (no writes), `metadata` (text: the RuntimePlan), `forward`, `backward` (`backward_0`, `backward_1`, … where
/// outputs have graphs that do not meet). Hooks may change the forward and backward Graphs; the others are shown only.
class CompiledFrame {
 public:
  /// Throws what the program throws, and graph::Unsupported.
  CompiledFrame(const graph::Case& theCase, const graph::ValueList& arguments, const AotOptions& options);

  const RuntimePlan& plan() const { return plan_; }
  const graph::Interpreter& forward() const { return *forward_; }
  const JointTrace& trace() const { return trace_; }
  /// By hook of the plan.
  const std::vector<std::shared_ptr<graph::ProgramHook>>& hooks() const { return hooks_; }
  size_t savedCount() const { return saved_.size(); }
  /// Operators that the program called, views included.
  int64_t operations() const { return operations_; }

  /// Compiled when it is asked for the first time; that for tangents of all roots, laid out as planned, is there from the
  /// start. Throws what the traced backward has thrown: what eager's would throw. Thread-safe.
  const CompiledBackwardGraph& backwardFor(size_t node, const TangentLayouts& layouts) const;
  /// Positions among the saved values that a node of the plan may read.
  const std::vector<size_t>& savedBy(size_t node) const { return savedBy_[node]; }

 private:
  /// A recorded backward after functionalization.
  struct FunctionalBackward {
    JointTrace::Backward recorded;
    PartitionInputs inputs;
    std::vector<graph::NodeId> read; // values of the forward
    bool isJoint = false; // part of the joint Graph; otherwise of a Graph of its own
  };
  using BackwardKey = std::vector<int64_t>;

  void planMemories();
  void planLifetimes();
  void compileJoint(const AotOptions& options);
  TangentLayouts plannedLayouts(const std::vector<size_t>& roots) const;
  FunctionalBackward functionalBackward(Functionalizer& functionalizer, size_t node,
                                        const TangentLayouts& layouts) const;
  void recordNode(Functionalizer& joint, size_t node, std::vector<FunctionalBackward>& done);
  bool mayRequireGrad(std::vector<graph::NodeId> values) const;
  CompiledBackwardGraph makeBackward(graph::Graph graph, const FunctionalBackward& backward) const;
  static BackwardKey keyOf(size_t node, const TangentLayouts& layouts);

  mutable JointTrace trace_;
  RuntimePlan plan_;
  Functionalizer functionalizer_; // as it stood at the end of the forward
  std::vector<graph::NodeId> memoryNodes_; // of the functional Graph
  std::vector<graph::NodeId> saved_;
  std::vector<std::shared_ptr<graph::ProgramHook>> hooks_;
  std::vector<std::vector<size_t>> savedBy_; // by node of the plan
  std::unique_ptr<graph::Interpreter> forward_;
  int64_t operations_ = 0;

  mutable std::mutex mutex_;
  mutable std::map<BackwardKey, CompiledBackwardGraph> backwards_;
  mutable std::map<BackwardKey, std::exception_ptr> failures_; // of backwards that raise when they are recorded
};

} // namespace touchstone::backends
