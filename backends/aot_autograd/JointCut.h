#pragma once

#include "backends/aot_autograd/BackwardRecorder.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace touchstone::aot_autograd {

/// What a min-cut partition decides for a joint Graph: what is merged, and what the forward saves. Backwards that are recorded
/// later, for other outputs or another layout of tangents, read what it has saved. Refers to the forward.
class JointCut {
 public:
  /// The backwards of a joint Graph, one for each node of the plan.
  using Backwards = std::vector<std::vector<FunctionalBackward>>;
  /// False: what each root alone reads is saved, too, or a cut would mix what was there in the forward with what is there in
  /// the backward.
  static bool isPossible(const TracedForward& forward, const Backwards& backwards);

  /// Merges what is repeated in the joint Graph. `isFollowed`: follow() may be called.
  JointCut(TracedForward& forward, ir::Graph& joint, const std::vector<ir::NodeId>& outputs,
           std::shared_ptr<ir::PassGate> gate, bool isFollowed = true);
  /// Chooses what is saved, and tells the backwards. `whole`: inputs, outputs and gradients of the joint Graph. Returns what
  /// saving a node costs, where it went by that.
  std::vector<int64_t> choose(const ir::Graph& joint, partitioners::PartitionInputs whole, Backwards& backwards,
                              const AotOptions& options);
  /// Merges in the Graph of a later backward of a node what was merged in the joint Graph, and finds there what that has saved.
  void follow(size_t node, const SavedValues& ofForward, ir::Graph& graph, FunctionalBackward& backward) const;

  /// What the partition has chosen to save, before what must be saved besides.
  const std::vector<ir::NodeId>& chosen() const { return chosen_; }

  /// What lies in the same memory as something whose version is looked at is kept from writes by that.
  void spareCopies(const Backwards& backwards, std::set<ir::NodeId>& copied) const;

 private:
  void take(const ir::Graph& graph, const std::set<ir::NodeId>& saved, FunctionalBackward& backward) const;
  void saveForEachRoot(const ir::Graph& graph, const partitioners::PartitionInputs& inputs);
  void saveForOthers(const ir::Graph& graph, FunctionalBackward& backward) const;
  void spare(const ir::Graph& graph, ir::NodeId value, std::set<ir::NodeId>& saved, FunctionalBackward& backward) const;

  TracedForward& forward_;
  const std::shared_ptr<ir::PassGate> gate_;
  ir::NodeId forwardEnd_; // nodes before it have the same numbers in the Graph of a later backward
  std::vector<ir::NodeId> into_; // what was merged, by node
  std::vector<ir::NodeId> sameAs_; // by node: the first that computes the same
  std::unordered_map<std::string, std::vector<ir::NodeId>> nodes_; // by expression, operands called as in `sameAs_`
  std::vector<ir::NodeId> chosen_;
  std::set<ir::NodeId> saved_;
};

} // namespace touchstone::aot_autograd
