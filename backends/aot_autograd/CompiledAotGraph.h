#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/Functionalizer.h"
#include "backends/aot_autograd/JointTrace.h"
#include "backends/aot_autograd/StagePublisher.h"
#include "backends/aot_autograd/ViewAndMutationMetadata.h"
#include "backends/partitioners/MinCutPartition.h"
#include "backends/partitioners/Partition.h"
#include "backends/passes/CommonSubexpressions.h"
#include "graph/ir/PassGate.h"
#include "graph/ir/StageArtifacts.h"
#include "graph/runtime/CallMode.h"
#include "graph/runtime/Interpreter.h"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace touchstone::aot_autograd {

/// Which result of the pipeline runs.
enum class AotStage {
  kJoint, // the recorded joint Graph, writes included: the backward runs all of it anew, on the inputs as they were
  kFunctional, // the functional joint Graph, not cut: the backward computes the forward again, from inputs and draws
  kPartitioned, // the forward saves what the backward reads
};

/// How the joint Graph is cut.
enum class AotPartition {
  kDefault, // every value that the backward reads is saved
  kMinCut, // repeated expressions merged, then what is cheapest: see chooseSavedValues()
  kChosen, // repeated expressions merged, then what AotOptions::chooseSaved says
};

/// Which values of the forward are saved, of the merged joint Graph; those that the backward can do without are left out, and
/// inputs and draws that it needs are saved in any case.
using SavedValuesChooser =
    std::function<std::vector<ir::NodeId>(const ir::Graph& joint, const partitioners::PartitionInputs& inputs)>;

/// How a frame is compiled.
struct AotOptions {
  fake::Backing backing = fake::Backing::kValues;
  bool asPyTorch = false; // operators are traced, and values saved, as PyTorch does it: see TorchTracing
  std::optional<c10::Device> claimed; // trace as though all arguments were there; see Tracer
  std::vector<std::shared_ptr<ir::StageHook>> hooks; // between stages
  /// Compilers of forward and backward Graphs, below autograd and with effects on nothing; null: they run node by node,
  /// inputs freed early. Their examples have no values: tensors on the meta device, with the dtype, sizes and strides of
  /// the placeholders. Backwards from fewer outputs are compiled when they are asked for. With AotStage::kJoint the forward
  /// writes to what it is given, which is nobody else's, and the backward runs node by node in any case.
  backends::GraphCompiler forwardCompiler, backwardCompiler;
  backends::GraphCompiler inferenceCompiler; // of a forward without gradients; null: forwardCompiler
  /// Hears of each value (CallMode::onResult) when the backward of AotStage::kJoint, which nothing compiles, runs; null: nobody.
  std::shared_ptr<runtime::CallMode> recordedWatch;
  /// Where no gradient is traced, what inputs hold in the end is written at the end of the forward Graph, by `copy_`, rather
  /// than by the runtime behind it (torch/_functorch/aot_autograd.py, keep_inference_input_mutations). Not with
  /// AotStage::kJoint.
  bool keepInferenceInputMutations = false;
  AotStage runs = AotStage::kPartitioned;
  AotPartition partition = AotPartition::kDefault; // for kPartitioned
  partitioners::MinCutOptions minCut; // for kMinCut
  SavedValuesChooser chooseSaved; // for kChosen; std::invalid_argument where it names what is no tensor of the forward
  /// What is replaced by simpler operators while writes are taken out; null: nothing. Not with AotStage::kJoint.
  std::shared_ptr<const decompositions::DecompositionTable> decompositions;
  /// Asked by the passes `decompositions` (a call is replaced by what computes it), `dead_code` (a node that nobody reads is left out), `saved_values` (a value of the forward is
  /// saved rather than computed again), and, of a min-cut partition, `cse` (a repeated expression is merged) and
  /// `recomputation` (what the default partition saves is computed again); null: all apply.
  std::shared_ptr<ir::PassGate> gate;
};

/// Devices for which autocast is on, and the dtypes that it casts to.
using AutocastRegions = std::vector<std::pair<at::DeviceType, at::ScalarType>>;

/// Of this thread.
AutocastRegions autocastOfThread();

/// The compiled backward of one node of the plan, for one choice of roots that have a tangent and of their layouts.
struct CompiledBackwardGraph {
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const {
    return compiled == nullptr ? graph->runFlat(std::move(inputs)) : compiled->run(std::move(inputs));
  }
  std::unique_ptr<runtime::Interpreter> graph;
  std::shared_ptr<const backends::CompiledGraph> compiled; // by AotOptions::backwardCompiler
  std::vector<size_t> saved; // positions among the frame's saved values, in the order of the placeholders
  std::vector<bool> reached; // by gradient that the node gives: JointTrace::reached()
  std::vector<size_t> checked; // positions of what eager saves and this does not read: only their versions matter
  std::vector<size_t> tangents; // roots, after them
  /// Roots whose tangents are written to, as a hook may: behind the gradients the Graph returns what they hold then. Empty
  /// where the Graph writes to them itself.
  std::vector<size_t> writtenTangents;
  bool savesInEager = false; // eager saves something for it, so that it runs once
  bool readsGrad = false; // something saved may require grad, so that the gradients could be differentiated again
};

/// The last `_unsafe_view` on the way from the memory's first tensor to a value: it has a version of its own in memory that
/// others write to. -1: none.
ir::NodeId versionOwner(const ir::Graph& graph, ir::NodeId value);

/// A captured Graph compiled for inputs like those of one call: see assumptions() for what it takes for granted of them.
///
/// Stages, in order: `captured` (the operators below autograd with their writes, forward alone), `joint` (the backward behind it),
/// `functional` (no writes), `merged` (repeated expressions merged: what a min-cut partition cuts; with that alone),
/// `metadata` (text: the ViewAndMutationMetadata), `forward`, `backward` (`backward_0`, `backward_1`, … where
/// outputs have graphs that do not meet). Hooks may change the forward and backward Graphs; the others are shown only.
class CompiledAotGraph {
 public:
  /// Throws what the program throws, and ir::Unsupported.
  CompiledAotGraph(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs,
                   const AotOptions& options);

  const ViewAndMutationMetadata& plan() const { return plan_; }
  std::vector<at::Tensor> runForward(std::vector<at::Tensor> inputs) const {
    return compiledForward_ == nullptr ? forward_->runFlat(std::move(inputs))
                                       : compiledForward_->run(std::move(inputs));
  }
  /// False: a compiler was given it, and compiled nothing.
  bool isForwardCompiled() const { return compiledForward_ == nullptr || compiledForward_->isCompiled(); }
  const JointTrace& trace() const { return trace_; }
  /// No other frame of this process has or had it.
  uint64_t id() const { return id_; }
  size_t savedCount() const { return saved_.size(); }
  /// By placeholder of the captured Graph.
  std::vector<backends::Assumption> assumptions() const;
  /// The input is neither changed nor returned in any form, nor does anything flow to the base that it is a view of.
  bool onlyReads(size_t input) const;

  /// Compiled when it is asked for the first time; that for tangents of all roots, laid out as planned, is there from the
  /// start. Throws what the traced backward has thrown: what eager's would throw. Thread-safe.
  /// `autocast`: where it is on on the thread that runs the backward, whose operators it changes.
  const CompiledBackwardGraph& backwardFor(size_t node, const TangentLayouts& layouts,
                                           const AutocastRegions& autocast = {}) const;
  /// Positions among the saved values that a node of the plan may read.
  const std::vector<size_t>& savedBy(size_t node) const { return savedBy_[node]; }
  /// Eager does not save it: it is kept from later writes by a copy.
  bool isSavedAsCopy(size_t position) const { return copied_.contains(saved_[position]); }
  /// The input storage in which a saved value lies whose version counter is the inputs'; -1: none.
  int inputSaved(size_t position) const { return inputSaved_[position]; }
  /// The recorded joint Graph runs: each Graph gets copies of the inputs, as they were, to write to.
  bool runsRecorded() const { return runs_ == AotStage::kJoint; }
  /// AotOptions::recordedWatch.
  runtime::CallMode* recordedWatch() const { return recordedWatch_.get(); }

 private:
  /// A recorded backward after functionalization.
  struct FunctionalBackward {
    JointTrace::Backward recorded;
    partitioners::PartitionInputs inputs;
    ir::NodeId recordedBegin = 0; // where its nodes begin in the recorded Graph
    std::vector<ir::NodeId> read; // values of the forward
    std::vector<ir::NodeId> checked; // that the default partition would read, too
    std::vector<ir::NodeId> eager; // all that the default partition would read, where another one is chosen
    std::vector<ir::NodeId> spared; // that it does not read, but one recorded later may
    std::map<ir::NodeId, ir::NodeId> savedAs; // of a later one: what it reads, as the joint Graph numbers it
    std::vector<size_t> writtenTangents; // roots; what is in their memory in the end stands behind the gradients
    bool isJoint = false; // part of the joint Graph; otherwise of a Graph of its own
  };
  /// What a min-cut partition has decided for the joint Graph; later backwards follow.
  struct JointCut {
    std::vector<ir::NodeId> into; // what was merged, by node
    std::vector<ir::NodeId> sameAs; // by node: the first that computes the same
    std::unordered_map<std::string, std::vector<ir::NodeId>> nodes; // by expression, operands called as in `sameAs`
    ir::NodeId forwardEnd = 0; // nodes before it have the same numbers in the Graph of a later backward
    std::set<ir::NodeId> saved;
    std::map<ir::NodeId, int> movedStorages; // of what was recorded in the backward and is saved
  };
  using BackwardKey = std::vector<int64_t>;

  void planMemories();
  void planLifetimes();
  void compileJoint(const AotOptions& options);
  TangentLayouts plannedLayouts(const std::vector<size_t>& roots) const;
  FunctionalBackward functionalBackward(Functionalizer& functionalizer, size_t node, const TangentLayouts& layouts,
                                        bool underAutocast = false) const;
  std::vector<ir::NodeId> savedUnread(size_t node, FunctionalBackward& backward) const;
  void choosePasses(partitioners::PartitionInputs& inputs) const;
  void leaveDeadCode(const ir::Graph& joint, partitioners::PartitionInputs& inputs,
                     const std::vector<ir::NodeId>& outputs, bool backward) const;
  void writeInputs(ir::Graph& forward);
  void planCopies(const std::vector<std::vector<FunctionalBackward>>& byNode);
  int inputHolding(size_t position) const;
  int storageSaved(size_t position) const { return storageOfValue(saved_[position]); }
  int storageOfValue(ir::NodeId value) const;
  void cutJoint(Functionalizer& joint, const partitioners::PartitionInputs& all,
                std::vector<std::vector<FunctionalBackward>>& byNode, const AotOptions& options,
                StagePublisher& publisher);
  void followCut(size_t node, ir::Graph& graph, FunctionalBackward& backward) const;
  void takeCut(const ir::Graph& graph, const std::set<ir::NodeId>& saved, FunctionalBackward& backward) const;
  void saveForEachRoot(const ir::Graph& graph, const partitioners::PartitionInputs& inputs, JointCut& cut) const;
  void saveForOthers(const ir::Graph& graph, FunctionalBackward& backward) const;
  void spare(const ir::Graph& graph, ir::NodeId value, std::set<ir::NodeId>& saved, FunctionalBackward& backward) const;
  bool isSeenOutside(ir::NodeId value) const;
  bool savesUnnoticed(const std::vector<ir::NodeId>& values) const;
  void spareCopies(const std::vector<std::vector<FunctionalBackward>>& byNode);
  std::vector<ir::NodeId> recordedInputs() const;
  ir::Graph recordedForward() const;
  ir::Graph recordedBackward(const FunctionalBackward& backward) const;
  ir::Graph backwardGraph(const ir::Graph& joint, const FunctionalBackward& backward) const;
  void recordNode(Functionalizer& joint, size_t node, std::vector<FunctionalBackward>& done);
  bool mayRequireGrad(const std::vector<ir::NodeId>& values) const;
  bool hasBaseWithEdge(size_t input) const;
  size_t positionOfSaved(ir::NodeId value, const FunctionalBackward& backward) const;
  std::vector<size_t> savedPositions(const FunctionalBackward& backward) const;
  CompiledBackwardGraph makeBackward(ir::Graph graph, const FunctionalBackward& backward) const;
  static BackwardKey keyOf(size_t node, const TangentLayouts& layouts, const AutocastRegions& autocast = {});

  const AotStage runs_;
  const AotPartition partition_;
  const std::shared_ptr<ir::PassGate> gate_;
  mutable std::map<ir::NodeId, bool> saves_; // what the gate has said
  mutable JointTrace trace_;
  ViewAndMutationMetadata plan_;
  bool takesGradients_; // with `torch.autograd.grad`, whose way goes by which input is a view of which
  const uint64_t id_;
  Functionalizer functionalizer_; // as it stood at the end of the forward
  std::vector<ir::NodeId> memoryNodes_; // of the functional Graph
  std::vector<size_t> memoryStorages_; // of the recorded Graph
  std::optional<JointCut> cut_;
  std::vector<ir::NodeId> saved_;
  std::set<ir::NodeId> copied_; // of these, what eager does not save
  std::vector<std::vector<size_t>> savedBy_; // by node of the plan; empty before the frame is compiled
  std::vector<int> inputSaved_; // see inputSaved()
  std::vector<bool> seesWrites_; // by saved value: its version counter is that of the memory it lies in
  std::unique_ptr<runtime::Interpreter> forward_;
  std::shared_ptr<const backends::CompiledGraph> compiledForward_; // by AotOptions::forwardCompiler
  backends::GraphCompiler backwardCompiler_;
  std::shared_ptr<runtime::CallMode> recordedWatch_;

  mutable std::mutex mutex_;
  mutable std::map<BackwardKey, CompiledBackwardGraph> backwards_;
  mutable std::map<BackwardKey, std::exception_ptr> failures_; // of backwards that raise when they are recorded
};

} // namespace touchstone::aot_autograd
