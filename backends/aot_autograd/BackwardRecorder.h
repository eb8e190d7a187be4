#pragma once

#include "backends/aot_autograd/SavedValues.h"
#include "backends/aot_autograd/TracedForward.h"
#include "backends/partitioners/Partition.h"

#include <map>
#include <memory>
#include <vector>

namespace touchstone::aot_autograd {

/// Memory of inputs that a backward writes to, as the body of a custom function may.
struct WrittenInput {
  size_t storage = 0; // among those of inputs
  int64_t writes = 0; // how often: the version goes on by as much
  bool operator==(const WrittenInput&) const = default;
};

/// A recorded backward without writes.
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
  /// Inputs whose memory it writes to: it takes what lies there behind the tangents, and what is there in the end stands
  /// behind the tangents that it writes to.
  std::vector<WrittenInput> writtenInputs;
  bool takesToken = false; // its Graph: the last argument and the last result are tokens of effects
  bool isJoint = false; // part of the joint Graph; otherwise of a Graph of its own
};

/// Records backwards behind a forward, and takes the writes out of them as it goes. Refers to the forward.
class BackwardRecorder {
 public:
  BackwardRecorder(TracedForward& forward, const AotOptions& options);

  /// The backward of a node of the plan from all its roots, behind what is in `joint`. Where it raises, eager's would too,
  /// but perhaps not from each root alone: those are recorded, each in a Graph of its own. Nor does it read all that they
  /// read where gradients without elements are added up.
  std::vector<FunctionalBackward> recordNode(Functionalizer& joint, size_t node);
  /// From the roots that have a tangent, behind what `functionalizer` has done so far. `saved`: what the forward saves, of
  /// one that is recorded later; null: that is not decided. `unasked`: see JointTrace::recordBackward().
  FunctionalBackward record(Functionalizer& functionalizer, size_t node, const TangentLayouts& layouts,
                            const SavedValues* saved = nullptr, bool underAutocast = false,
                            const UnaskedGradients& unasked = {});

 private:
  std::vector<ir::NodeId> savedUnread(size_t node, FunctionalBackward& backward, const SavedValues* saved);
  void chooseSaved(partitioners::PartitionInputs& inputs);
  std::vector<WrittenInput> inputsWritten(const FunctionalBackward& backward) const;

  TracedForward& forward_;
  const std::vector<std::vector<int64_t>> layouts_; // sizes and strides of what the forward was given and gives
  const AotResult runs_;
  const AotPartition partition_;
  const bool unlifts_;
  const std::shared_ptr<ir::PassGate> gate_;
  std::map<ir::NodeId, bool> saves_; // what the gate has said
};

} // namespace touchstone::aot_autograd
