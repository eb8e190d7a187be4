#pragma once

#include "oracles/observe/TensorObservation.h"
#include "program/language/Outcome.h"
#include "program/values/Value.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::observe {

/// How a tensor is named in verdicts and in `# expect:` lines.
struct Location {
  enum class Role { kOutput, kArgument, kWatched, kLeaf, kTangent };
  Role role = Role::kOutput;
  int index = 0;
  std::string text() const; // `output 0`, `arg 1`, `watched 0`, `leaf 2`, `tangent 0`
  bool operator==(const Location&) const = default;
};

/// One member of the partition of inputs and outputs into storages; arguments, watched, outputs, in this order.
struct StorageMember {
  Location location;
  int storage = 0; // numbered by first appearance: arguments, watched, outputs
  int64_t firstByte = 0, endByte = 0; // range within the storage; empty tensors: first = end
  int object = 0; // equal for the very same tensor object
};

/// Which other positions change when one is written to. Positions, not objects: where the very same tensor stands twice,
/// writing to one changes the other, so that an alias in its place has the same effect. Only what changes another is
/// listed; outputs, arguments, watched, in this order, and `changed` likewise.
struct EffectObservation {
  Location written;
  std::vector<Location> changed;
};

struct GradientObservation {
  Location leaf;
  std::optional<TensorObservation> gradient; // none: None
  bool fromGradAttribute = false; // `.grad` of a leaf: its layout is a contract
};

/// What a later look at a tensor of a call has shown: other bytes than the look before, of an input also other sizes or strides.
struct LaterChange {
  enum class Of { kOutput, kGradient, kTangent, kArgument, kWatched };
  Of of = Of::kOutput;
  int index = 0; // in CallObservation's `outputs`, `gradients`, `tangents`, `arguments` or `watched`
  int after = 0; // the call, backwards and all, after which it was looked at
  at::Tensor values; // undefined: they cannot be read
  std::vector<int64_t> sizes, strides; // of inputs
  bool versionBumped = false; // since the call began; of inputs
};

/// An exception and where it came from.
struct ExceptionObservation {
  std::string type, message, wrapper;
  std::string phase; // `inputs`, `compile`, `forward`, `between`, `backward`
  bool unsupported = false; // a ir::Unsupported of the backend; message is its reason
  bool isLimit = false; // of Touchstone's evaluator: see values::RaisedException
};

/// Everything visible after one call of a Case.
struct CallObservation {
  std::optional<ExceptionObservation> exception; // of inputs or forward: there are no outputs
  std::optional<ExceptionObservation> backwardException; // of between or backward
  std::string structure; // of the returned value: `(T, [T, _], {"a": T})`: tensors as `T`, all other leaves as `_`
  std::vector<values::Value> nonTensors; // the leaves that are not tensors, in order
  std::vector<TensorObservation> outputs;
  std::vector<TensorObservation> arguments; // tensors among the arguments, flattened; modules contribute fields
  std::vector<TensorObservation> watched;
  /// Containers among the arguments after the call, tensors as `T` and a number of the object, other leaves as literals:
  /// lists and modules may have been changed. Empty when all arguments are tensors or numbers.
  std::string argumentStructure;
  /// All whole elements of each distinct input storage after the forward, 1-D, typed as its first user; by StorageMember's
  /// number. Undefined where nothing is seen that `values` does not say: one argument or watched tensor covers it all.
  std::vector<at::Tensor> inputStorages;
  std::vector<StorageMember> partition;
  std::vector<EffectObservation> effects;
  /// Leaves in order; with via="grad" all of them once for each time, and after each time those of the second derivatives.
  std::vector<GradientObservation> gradients;
  /// The tangents before the backward that they are given to, of all times, with those of the second derivatives.
  std::vector<at::Tensor> tangents;
  std::vector<ExceptionObservation> nodeErrors; // of RunOptions::Backward::kNodeByNode
  std::string state; // generator states (hashed), grad mode, autocast, default dtype after the call
  /// Outputs, gradients and tangents are looked at again after this call and each later one, inputs after that in which this
  /// one's backward runs; by call.
  std::vector<LaterChange> changes;
  bool writes = false; // the Program wrote to memory in this call or an earlier one; of eager runs
  bool overlapWritten = false; // a write went through memory in which two elements overlap (rule A14)
  bool overlapRaised = false; // such a write raised midway
  /// Before the backward, some roots were views whose memory had been written to since their grad_fn was made: autograd
  /// makes it anew from the view's base (rule A16). The leaves that the old or the new grad_fn leads to.
  std::vector<Location> leavesOfRootsMadeAnew;
  int64_t compiledRuns = 0; // entered compiled code this often during the call
  int64_t graphsCompiled = 0; // graphs compiled during the call
  int64_t backwardGraphsCompiled = 0; // of these, by compiled autograd
};

struct CaseObservation {
  std::vector<CallObservation> calls;
  bool brokeGraphs = false; // compiled: code behind a graph break is code of its own
};

} // namespace touchstone::observe
