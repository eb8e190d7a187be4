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
  std::vector<std::shared_ptr<graph::StageHook>> hooks; // between stages
};

/// The compiled backward for one choice of roots that have a tangent.
struct CompiledBackwardGraph {
  std::unique_ptr<graph::Interpreter> graph;
  std::vector<size_t> saved; // positions among the frame's saved values, in the order of the placeholders
  std::vector<size_t> tangents; // roots, after them
  std::vector<bool> gives; // by wanted: false where the gradient is undefined
};

/// A program compiled for one exact set of arguments: their metadata, aliasing and identity, and the modes that are on.
///
/// Stages, in order: `captured` (operators with their writes, forward alone), `joint` (the backward behind it),
/// `functional` (no writes), `metadata` (text: the RuntimePlan), `forward`, `backward`. Hooks may replace the last three
/// Graphs; `captured` and `joint` are shown only.
class CompiledFrame {
 public:
  /// Throws what the program throws, and graph::Unsupported.
  CompiledFrame(const graph::Case& theCase, const graph::ValueList& arguments, const AotOptions& options);

  const RuntimePlan& plan() const { return plan_; }
  const graph::Interpreter& forward() const { return *forward_; }
  const JointTrace& trace() const { return trace_; }
  size_t savedCount() const { return saved_.size(); }
  /// Operators that the program called, views included.
  int64_t operations() const { return operations_; }

  /// Compiled when it is asked for the first time; that for all roots is there from the start. Throws what the traced
  /// backward has thrown: what eager's would throw. Thread-safe.
  const CompiledBackwardGraph& backwardFor(const std::vector<bool>& hasTangent) const;

 private:
  JointTrace::Backward recordBackwardAside(const std::vector<bool>& hasTangent) const;
  void planMemories();
  void compileJoint(const AotOptions& options);
  PartitionInputs partitionInputs(Functionalizer& functionalizer, const JointTrace::Backward& backward) const;
  void checkBackwardWrites(const Functionalizer& functionalizer, const Functionalizer& forward) const;
  CompiledBackwardGraph makeBackward(graph::Graph graph, const std::vector<graph::NodeId>& read,
                                     const JointTrace::Backward& backward,
                                     const std::vector<bool>& hasTangent) const;

  mutable JointTrace trace_;
  RuntimePlan plan_;
  Functionalizer functionalizer_; // as it stood at the end of the forward
  std::vector<graph::NodeId> memoryNodes_; // of the functional Graph
  std::vector<graph::NodeId> saved_;
  std::unique_ptr<graph::Interpreter> forward_;
  int64_t operations_ = 0;

  mutable std::mutex mutex_;
  mutable std::map<std::vector<bool>, CompiledBackwardGraph> backwards_;
  std::exception_ptr backwardError_; // of the backward from all roots
};

} // namespace touchstone::backends
