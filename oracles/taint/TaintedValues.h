#pragma once

#include "program/values/AutogradNodes.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <torch/csrc/autograd/function.h>

#include <c10/util/intrusive_ptr.h>
#include <cstdint>
#include <map>
#include <vector>

namespace touchstone::taint {

/// Why eager leaves a value unspecified, as bits.
using TaintMask = uint8_t;
constexpr TaintMask kTaintedByOverlap = 1; // A14: a write went through overlapping memory
constexpr TaintMask kTaintedByChoice = 2; // A15: a nondeterministic operator chose
constexpr TaintMask kTaintedByRounding = 4; // A7: rounding decides about an integer or bool that it depends on
constexpr TaintMask kTaintedBySign = 8; // A15: which of two zeros was taken, or the sign of a NaN
constexpr TaintMask kTaintedByHalf = 16; // A7: a step on its way rounds to float16 or bfloat16

/// The first byte of each element within its storage, row-major.
std::vector<int64_t> firstBytesOf(const at::Tensor& tensor);
/// All masks in one; of an undefined tensor 0.
TaintMask unionOf(const at::Tensor& masks);

/// Which bytes of which storages are tainted. Views need no bookkeeping: they have their storage's bytes.
///
/// Masks of elements are uint8 tensors in the sizes of the tensor they speak of; undefined: nothing is tainted.
class TaintedStorages {
 public:
  /// Knows the tensor's storage from now on, and keeps it alive, so that its address is not used again.
  void know(const at::Tensor& tensor);
  /// False for what no watched operator made and no argument brought: results of a gradient taken inside the Program.
  bool knows(const at::Tensor& tensor) const;

  at::Tensor masksOf(const at::Tensor& tensor) const;
  /// Taints elements further.
  void add(const at::Tensor& tensor, const at::Tensor& masks);
  void add(const at::Tensor& tensor, TaintMask mask); // all elements
  /// No element of the tensor is tainted any more: they were overwritten.
  void untaint(const at::Tensor& tensor);

  /// One mask for each byte of the tensor's storage; empty: nothing is tainted.
  std::vector<TaintMask> bytesOf(const at::Tensor& tensor) const;
  /// Everything that was tainted since the last clear().
  TaintMask anywhere() const { return anywhere_; }
  void clear();

 private:
  struct Notes {
    c10::Storage keptAlive;
    std::vector<TaintMask> bytes; // empty until something is tainted
  };
  const Notes* find(const at::Tensor& tensor) const;

  std::map<const c10::StorageImpl*, Notes> storages_;
  TaintMask anywhere_ = 0;
};

/// Which steps of the backward depend on tainted values: a gradient is tainted when a path from its root to its leaf goes
/// through such a step.
class TaintedNodes {
 public:
  /// The operator that made or wrote `result` read or made tainted values.
  void mark(const at::Tensor& result, TaintMask mask);
  /// Leaf → what leaves its gradient unspecified when the backward starts at `root`.
  std::map<const c10::TensorImpl*, TaintMask> leavesFrom(const at::Tensor& root) const;
  TaintMask anywhere() const { return anywhere_; }
  void clear();

 private:
  struct Mark {
    values::NodePtr keptAlive;
    TaintMask mask = 0;
  };
  void markNode(const values::NodePtr& node, TaintMask mask);

  std::map<const torch::autograd::Node*, Mark> marks_;
  TaintMask anywhere_ = 0;
};

} // namespace touchstone::taint
