#pragma once

#include "graph/ir/Graph.h"
#include "program/evaluator/Hooks.h"

#include <c10/core/ScalarType.h>
#include <torch/csrc/autograd/variable.h>

#include <optional>
#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// Where a tensor lies when the program has ended.
struct PlacePlan {
  int memory = -1; // among ViewAndMutationMetadata::memories
  int inputStorage = -1; // or among ViewAndMutationMetadata::inputStorages
  ir::TensorMetadata geometry;
  bool operator==(const PlacePlan&) const = default;
};

/// The memory of inputs, and what the Graphs get for it.
struct InputStoragePlan {
  int firstInput = -1;
  bool isFlat = false; // a one-dimensional alias over all of it; otherwise the first input itself
  bool neededAfter = false; // written back, or outputs lie in it
  bool hasSeveralCounters = false; // of versions: inputs that share it do not all share one
  bool isWrittenByGraph = false; // with its version: nothing is left to write back
  c10::ScalarType dtype = c10::ScalarType::Float; // of the flat alias
  bool operator==(const InputStoragePlan&) const = default;
};

/// A whole storage as the forward Graph returns it.
struct MemoryPlan {
  int inputStorage = -1; // written back there; -1: memory of new tensors
  ir::TensorMetadata layout; // of the value
  int64_t bytes = 0; // what eager's storage has
  bool operator==(const MemoryPlan&) const = default;
};

/// What becomes of an input; all that is left out stays as it was.
struct InputPlan {
  std::string name;
  bool isHidden = false; // the base of an argument that is a view
  bool dataMutated = false;
  bool mutationHidden = false; // from autograd: under no_grad, or through detach()
  bool versionBumped = false;
  bool storageReplaced = false; // by set_()
  std::optional<PlacePlan> moved; // sizes, strides, offset or storage changed
  std::optional<bool> requiresGrad; // was switched
  bool edgeAfterMove = false; // its node was made when it had its new sizes
  bool detached = false; // detach_()
  bool retainsGrad = false;
  int root = -1; // it became this output of the backward node
  bool takesHistory = false; // a view that was used after its base was written to: it has its base's history by now
  bool hasPartialHistory = false; // and the gradient of a root that was computed from it does not pass by there
  /// The same, but its base was written to after that: autograd takes the history anew when the view is next used.
  bool hasStaleNode = false;
  bool neededAfter = false; // after the forward Graph has run; otherwise it may be freed while that runs
  bool operator==(const InputPlan&) const = default;
};

/// A tensor that the call makes: an output, or the base of outputs that are views.
struct MadePlan {
  PlacePlan place;
  int base = -1; // the tensor (inputs first, then made ones) that it is a differentiable view of
  int counterOf = -1; // the tensor, an earlier one, whose version counter it shares
  bool hasCounterOfMemory = false; // the first tensor in new memory: what is saved of it shares the counter, too
  torch::autograd::CreationMeta creation = torch::autograd::CreationMeta::DEFAULT;
  bool isWholeMemory = false; // new memory as the Graph returns it, and no view of another tensor
  bool isUnsafeView = false; // made by an operator such as `_unsafe_view`: in another's memory, which nobody else sees
  /// Its base was written to later: autograd takes its history from the base, or refuses to, when it is next used, with
  /// what has become of the base by then.
  bool isStale = false;
  bool hasStaleNode = false; // and it had a grad_fn before, which an error names
  bool isLeafWithGrad = false;
  bool retainsGrad = false;
  bool isInference = false;
  int root = -1;
  std::vector<int64_t> viewNumbers; // see arguments::numbersOfViewFunction()
  bool operator==(const MadePlan&) const = default;
};

/// How an output relates to everything else; for people, laws and tests.
enum class OutputKind {
  kInput, // the very object
  kAliasOfInput,
  kBase, // an intermediate of which other outputs are views
  kAliasOfIntermediate, // a view of an output or of a hidden base
  kSharesMemory, // with another output, autograd knowing nothing of it
  kFresh,
};

/// One node of autograd's graph in a call: what eager's graph connects.
struct BackwardNodePlan {
  std::vector<size_t> roots, wanted; // among the plan's
  std::vector<size_t> writtenStorages; // among those of inputs: its backward writes to them
  bool operator==(const BackwardNodePlan&) const = default;
};

/// A hook that the program registers on an input while that is what it was given: it is the tensor's from then on.
struct InputHook {
  int input = -1;
  evaluator::HookKind kind = evaluator::HookKind::kGradient;
  std::string function; // of the Case
  bool operator==(const InputHook&) const = default;
};

/// Everything that the runtime does around the compiled Graphs. Tensors are numbered: inputs, then made ones.
struct ViewAndMutationMetadata {
  std::vector<InputStoragePlan> inputStorages; // in the order of the forward's placeholders
  std::vector<InputPlan> inputs;
  std::vector<MadePlan> made;
  std::vector<MemoryPlan> memories; // the forward Graph's first outputs; what is saved for backward follows
  std::vector<InputHook> hooks; // in order of registration
  std::vector<int> outputs; // tensor of each output, flattened
  std::vector<int> roots; // tensors whose gradients backward gets
  std::vector<bool> partial; // by root: other roots add to its gradient, inside the backward
  std::vector<bool> hooked; // by root: the Program has hooks on what the node behind it makes
  std::vector<ir::TensorMetadata> tangents; // the layout that is compiled for at first, by root
  std::vector<int> wanted; // tensors whose gradients backward gives
  std::vector<BackwardNodePlan> nodes;
  bool takesToken = false; // the forward Graph, as its first argument; its first result is one, too
  bool callsEffects = false; // the forward Graph calls operators with effects as the program does, without tokens
  bool mayRaise = false; // the forward Graph, for some values

  bool operator==(const ViewAndMutationMetadata&) const = default;
  /// The places of its sizes, strides, offsets and numbers of bytes, in an order that depends on the rest alone.
  std::vector<int64_t*> numbers();

  OutputKind outputKind(size_t output) const;
  /// Readable text: an input a line, then an output a line, then what backward takes and gives.
  std::string text() const;
};

} // namespace touchstone::aot_autograd
