#pragma once

#include "backends/aot_autograd/AotOptions.h"
#include "backends/aot_autograd/Functionalizer.h"
#include "backends/aot_autograd/JointTrace.h"
#include "backends/aot_autograd/ViewAndMutationMetadata.h"
#include "graph/runtime/Interpreter.h"

#include <map>
#include <set>
#include <vector>

namespace touchstone::aot_autograd {

/// A captured Graph traced for inputs like those of one call, with the writes taken out of its forward: what backwards are
/// recorded behind, and where its values lie.
struct TracedForward {
  /// Throws what the program throws, and ir::Unsupported.
  TracedForward(const runtime::Interpreter& program, const std::vector<at::Tensor>& inputs, const AotOptions& options);
  TracedForward(const TracedForward&) = delete;
  TracedForward& operator=(const TracedForward&) = delete;

  /// The storage of the recorded Graph in which a value lies that eager saves; -1: in one that nobody else can write to.
  int storageOf(ir::NodeId value) const;
  /// A tensor that somebody outside of the compiled Graphs has may lie in its memory.
  bool isSeenOutside(ir::NodeId value) const;
  /// The input storage in which a value lies whose version counter is the inputs'; -1: none.
  int inputHolding(ir::NodeId value) const;
  /// Some of these values lies in an input that requires grad, or is computed from one, or from a leaf that the program made. What is
  /// detached on the way, or made under no_grad, is not told from the rest.
  bool mayRequireGrad(const std::vector<ir::NodeId>& values) const;
  /// The input is neither changed nor returned in any form, the backwards included, nor does anything flow to the base that
  /// it is a view of.
  bool onlyReads(size_t input) const;
  /// When the backwards are recorded: to which memory they write, those included that raise.
  void noteWritesInBackward();
  /// The placeholders of the recorded Graph but for those of tangents.
  std::vector<ir::NodeId> recordedInputs() const;

  JointTrace trace; // grows with each backward that is recorded
  ViewAndMutationMetadata plan;
  Functionalizer functionalizer; // as it stands at the end of the forward
  std::vector<ir::NodeId> memoryNodes; // by memory of the plan: its value in the functional Graph
  std::vector<size_t> memoryStorages; // the same: its storage in the recorded Graph
  std::map<ir::NodeId, int> movedStorages; // of what was recorded in a backward, and the forward computes and saves

 private:
  void planMemories();
  void planLifetimes();
  bool requiresGrad(int input) const; // before the call, or behind it
  bool hasBaseWithEdge(size_t input) const;

  std::set<int> writtenInBackward_; // storages of the recorded Graph
  bool takesGradients_; // with `torch.autograd.grad`, whose way goes by which input is a view of which
};

/// The last `_unsafe_view` on the way from the memory's first tensor to a value: it has a version of its own in memory that
/// others write to. -1: none.
ir::NodeId versionOwner(const ir::Graph& graph, ir::NodeId value);

} // namespace touchstone::aot_autograd
