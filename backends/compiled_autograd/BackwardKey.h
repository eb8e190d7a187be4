#pragma once

#include "backends/compiled_autograd/BackwardTask.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace touchstone::compiled_autograd {

/// What an AccumulateGrad finds.
struct AccumulationState {
  const c10::TensorImpl* grad = nullptr; // the `.grad` that is there
  at::ScalarType dtype = at::ScalarType::Undefined; // of that
  bool requiresGrad = false; // the leaf
  bool operator==(const AccumulationState&) const = default;
  static AccumulationState of(const torch::autograd::AccumulateGrad& node);
};

/// How one node of a backward goes into its key.
struct KeyedNode {
  bool runsEagerly = false; // nothing traces it: it cannot say what it has saved, or says too much
  bool isHooked = false; // hooks on its gradients are called before it
  size_t tensorHooks = 0; // how many these are, with those that retain gradients; of a node that is hooked
  size_t preHooks = 0, postHooks = 0; // around the node
  bool isHookedAfterAccumulation = false;
  std::vector<bool> carriesState; // by hook, in the order of calls: it is called with a BackwardState
  size_t sizesBegin = 0, scalarsBegin = 0; // what the node has lifted, among that of all nodes
  size_t keyBegin = 0; // its part of the key
  AccumulationState accumulates; // of an AccumulateGrad
};

/// Where tensors lie: saved results are unpacked as new tensors each time. No address counts twice, also of memory that has been
/// freed since.
struct TensorPlaces {
  using Place = std::tuple<const void*, int64_t, std::vector<int64_t>, std::vector<int64_t>>;
  static Place placeOf(const at::Tensor& tensor);
  void insert(const at::Tensor& tensor);

  std::set<Place> places;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> kept;
};

/// What a backward looks like but for values: the role of the CacheKey of torch/csrc/dynamo/compiled_autograd.h. Kinds of
/// nodes, edges, hooks, metadata, constants; of tensors, dtype, device, requires_grad and which are one object. Sizes, scalars and
/// tensors are lifted out: they are inputs.
struct BackwardKey {
  std::string bytes;
  std::vector<KeyedNode> nodes; // by node of the task
  /// Holds the tensors that nodes have saved; unpacked once, so that versions are checked, as each node does it.
  std::unique_ptr<torch::dynamo::autograd::AutogradCompilerCall> lifted;
  std::vector<c10::IValue> scalars; // that nodes have lifted, as they were: nodes may move theirs as they run
  std::set<const c10::StorageImpl*> gradMemories; // of `.grad`s that are there
  bool isTraceable =
      true; // otherwise the whole backward runs node by node: something is not strided, or the key not whole

  /// Of the lifted tensors; noted before the first of them is given away.
  const TensorPlaces& places() const;
  mutable std::optional<TensorPlaces> notedPlaces;

  const std::vector<at::Tensor>& tensors() const { return lifted->tensor_args.inputs; }
  std::vector<at::Tensor>& tensors() { return lifted->tensor_args.inputs; }
};

/// It has memory of its own that can be copied.
bool canBeTraced(const at::Tensor& tensor);
/// By bits, so that NaN is itself.
bool isSameScalar(const c10::IValue& left, const c10::IValue& right);

/// A node that throws when it is asked what it has saved (released, changed in place, not made for this) runs eagerly, and
/// throws there where the engine would have it throw.
BackwardKey keyOf(const BackwardTask& task);

/// After a Program's code has run inside the backward: nodes [begin, end) have what they had when `key` was made. False where
/// a hook has set or dropped a `.grad`, written to what is saved, released it, or added hooks.
bool isUnchanged(const BackwardTask& task, const BackwardKey& key, size_t begin, size_t end);

/// By lifted tensor: the last node that has saved it, or accumulates into it.
std::vector<size_t> lastNodesOfTensors(const BackwardTask& task, const BackwardKey& key);

} // namespace touchstone::compiled_autograd
