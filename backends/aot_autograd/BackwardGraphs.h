#pragma once

#include "backends/aot_autograd/JointCut.h"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace touchstone::aot_autograd {

/// Devices for which autocast is on, and the dtypes that it casts to.
using AutocastRegions = std::vector<std::pair<at::DeviceType, at::ScalarType>>;

/// Why a backward is refused of which eager's raises halfway.
extern const char* const kRaisesAfterWrites;

/// Of this thread.
AutocastRegions autocastOfThread();
/// On this thread, without autocast's cache.
void enterAutocast(const AutocastRegions& regions);

/// What a function raises; null: nothing. It runs on a thread of its own: inside a running backward, nodes would ask the engine of
/// this thread what to compute, and autograd is passed by.
std::exception_ptr raisedApart(const std::function<void()>& record);

/// What stays of a compile: what backwards are recorded behind, and what the forward saves for them.
struct JointRecord {
  JointRecord(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs, const AotOptions& options)
      : forward(program, inputs, options), recorder(forward, options) {}

  TracedForward forward;
  BackwardRecorder recorder;
  std::optional<JointCut> cut; // of a partition that chooses
  SavedValues saved;
};

/// What the backward Graph of one node of the plan takes and gives, for one choice of roots that have a tangent and of their layouts.
struct BackwardConvention {
  std::vector<size_t> saved; // positions among the saved values, in the order of the placeholders
  std::vector<bool> reached; // by gradient that the node gives: JointTrace::reached()
  std::vector<size_t> checked; // positions of what eager saves and this does not read: only their versions matter
  std::vector<size_t> tangents; // roots, after them
  /// Roots whose tangents are written to, as a hook may: behind the gradients the Graph returns what they hold then. Empty
  /// where the Graph writes to them itself.
  std::vector<size_t> writtenTangents;
  std::vector<WrittenInput> writtenInputs; // behind them, see FunctionalBackward
  bool takesToken = false; // behind everything; the last result is one, too
  bool hasEffects = false;
  std::vector<size_t> heldGradients; // positions: see JointTrace::Backward
  bool savesInEager = false; // eager saves something for it, so that it runs once
  /// More is seen of it than its gradients, so that it must run no more than eager's.
  bool isSeenOutside() const { return hasEffects || !writtenTangents.empty() || !writtenInputs.empty(); }
  bool readsGrad = false; // something saved may require grad, so that the gradients could be differentiated again
  bool operator==(const BackwardConvention&) const = default;
};

/// The compiled backward.
struct CompiledBackwardGraph : BackwardConvention {
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const;

  std::unique_ptr<runtime::Interpreter> graph; // null: of a sample
  ir::Graph ofSample; // see AotOptions::isSample
  std::shared_ptr<const backends::CompiledGraph> compiled; // by AotOptions::backwardCompiler
  runtime::NodeWatch watch; // of whoever looks into the pipeline
};

/// The backwards of one compile. Those for tangents of all roots, laid out as planned, the pipeline adds; others are recorded,
/// cut as those were, and compiled when they are asked for. Refers to the record.
class BackwardGraphs {
 public:
  BackwardGraphs(JointRecord& record, const AotOptions& options);

  /// The part of a joint Graph that is this backward: it takes what is saved, then the tangents.
  ir::Graph graphOf(const ir::Graph& joint, const FunctionalBackward& backward) const;
  /// Positions among the saved values of what that takes, in the order of its placeholders.
  std::vector<size_t> savedPositions(const FunctionalBackward& backward) const;
  const CompiledBackwardGraph& add(size_t node, const FunctionalBackward& backward, ir::Graph graph);
  /// `autocast`: where it is on on the thread that runs the backward, whose operators it changes. Throws what the traced
  /// backward has thrown: what eager's would throw. `unasked`: see JointTrace::recordBackward(). Thread-safe.
  const CompiledBackwardGraph& find(size_t node, const TangentLayouts& layouts, const AutocastRegions& autocast,
                                    const UnaskedGradients& unasked = {});
  /// See JointTrace::requireGrad(). Where that raises, all may. Thread-safe.
  std::vector<bool> requireGrad(size_t node, const TangentLayouts& layouts, const std::vector<size_t>& roots);

  /// Those that the pipeline has added, in its order, by node of the plan.
  const std::vector<std::pair<size_t, const CompiledBackwardGraph*>>& planned() const { return planned_; }

  using Key = std::vector<int64_t>;
  static Key keyOf(size_t node, const TangentLayouts& layouts, const AutocastRegions& autocast,
                   const UnaskedGradients& unasked = {});
  /// Of a backward of the node that was planned for tangents of these roots.
  static Key keyOfPlanned(const ViewAndMutationMetadata& plan, size_t node, const std::vector<size_t>& roots);

 private:
  size_t positionOfSaved(ir::NodeId value, const FunctionalBackward& backward) const;
  CompiledBackwardGraph compile(ir::Graph graph, const FunctionalBackward& backward) const;
  CompiledBackwardGraph compileLater(size_t node, const TangentLayouts& layouts, const AutocastRegions& autocast,
                                     const UnaskedGradients& unasked);

  JointRecord& record_;
  const bool runsRecorded_;
  const bool isSample_;
  const backends::GraphCompiler compiler_;
  const runtime::NodeWatch watch_;

  std::mutex mutex_;
  std::map<Key, CompiledBackwardGraph> backwards_;
  std::vector<std::pair<size_t, const CompiledBackwardGraph*>> planned_;
  std::map<std::pair<Key, std::vector<size_t>>, std::vector<bool>> requireGrad_; // by roots whose tangents do
  std::map<Key, std::exception_ptr> failures_; // of backwards that raise when they are recorded
};

} // namespace touchstone::aot_autograd
