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

/// Why eager leaves a value open, as bits.
using OpenMask = uint8_t;
constexpr OpenMask kOpenByOverlap = 1; // A14: a write went through overlapping memory
constexpr OpenMask kOpenByChoice = 2; // A15: a nondeterministic operator chose
constexpr OpenMask kOpenByRounding = 4; // A7: rounding decides about an integer or bool that it depends on

/// The first byte of each element within its storage, row-major.
std::vector<int64_t> firstBytesOf(const at::Tensor& tensor);
/// All masks in one; of an undefined tensor 0.
OpenMask unionOf(const at::Tensor& masks);

/// Which bytes of which storages are open. Views need no bookkeeping: they have their storage's bytes.
///
/// Masks of elements are uint8 tensors in the sizes of the tensor they speak of; undefined: nothing is open.
class OpenStorages {
 public:
  /// Knows the tensor's storage from now on, and keeps it alive, so that its address is not used again.
  void know(const at::Tensor& tensor);
  /// False for what no watched operator made and no argument brought: results of a gradient taken inside the Program.
  bool knows(const at::Tensor& tensor) const;

  at::Tensor masksOf(const at::Tensor& tensor) const;
  /// Opens elements further.
  void add(const at::Tensor& tensor, const at::Tensor& masks);
  void add(const at::Tensor& tensor, OpenMask mask); // all elements
  /// Closes all elements of the tensor: they were overwritten.
  void close(const at::Tensor& tensor);

  /// One mask for each byte of the tensor's storage; empty: nothing is open.
  std::vector<OpenMask> bytesOf(const at::Tensor& tensor) const;
  /// Everything that was opened since the last clear().
  OpenMask anywhere() const { return anywhere_; }
  void clear();

 private:
  struct Notes {
    c10::Storage keptAlive;
    std::vector<OpenMask> bytes; // empty until something is open
  };
  const Notes* find(const at::Tensor& tensor) const;

  std::map<const c10::StorageImpl*, Notes> storages_;
  OpenMask anywhere_ = 0;
};

/// Which steps of the backward depend on open values: a gradient is open when a path from its root to its leaf goes
/// through such a step.
class OpenNodes {
 public:
  /// The operator that made or wrote `result` read or made open values.
  void mark(const at::Tensor& result, OpenMask mask);
  /// Leaf → what leaves its gradient open when the backward starts at `root`.
  std::map<const c10::TensorImpl*, OpenMask> leavesFrom(const at::Tensor& root) const;
  OpenMask anywhere() const { return anywhere_; }
  void clear();

 private:
  struct Mark {
    values::NodePtr keptAlive;
    OpenMask mask = 0;
  };
  void markNode(const values::NodePtr& node, OpenMask mask);

  std::map<const torch::autograd::Node*, Mark> marks_;
  OpenMask anywhere_ = 0;
};

} // namespace touchstone::taint
