#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <c10/util/intrusive_ptr.h>

#include <unordered_map>

namespace touchstone::taint {

/// True when two elements of the tensor share memory: `expand` with repetition, `as_strided` with short strides. A
/// stride of 0 in a dimension of size 1 is none.
bool overlapsItself(const at::Tensor& tensor);

/// Notices writes through a tensor in which two elements share memory, or through a view of one, and writes to memory
/// that the same call reads through another tensor laid out otherwise (rule A14). Sees the
/// operator calls of an eager run: before() with the arguments on the stack, after() with the results. Views are
/// followed by the aliases that schemas state, so a view of an expanded tensor is told from the tensor that was expanded.
class OverlapWrites {
 public:
  /// True: the call writes so.
  bool before(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  void after(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  /// As a evaluator::OperationHook: runs the call between before() and after().
  bool operator()(const c10::OperatorHandle& op, torch::jit::Stack& stack);

  bool seen() const { return seen_ || readsItself_; }
  /// An operator that raised was such a write: it has written as far as it came.
  bool raisedMidway() const { return raisedMidway_; }
  /// Anything was written to in place.
  bool writes() const { return writes_; }
  /// Some write read its own memory through another tensor: all that it wrote may be one thing or another, not only what
  /// was written twice.
  bool readsItself() const { return readsItself_; }
  /// Forgets that any write was seen; which tensors are views of overlapping ones stays known.
  void clear() { seen_ = readsItself_ = writes_ = raisedMidway_ = false; }

 private:
  bool overlaps(const at::Tensor& tensor) const;

  bool seen_ = false;
  bool readsItself_ = false;
  bool writes_ = false;
  bool raisedMidway_ = false;
  bool viewOfOverlapping_ = false; // among the arguments of the call between before() and after()
  // Weak: whether a tensor is alive is the program's business. The address stays taken while the entry is there.
  std::unordered_map<c10::TensorImpl*, c10::weak_intrusive_ptr<c10::TensorImpl>> views_;
};

} // namespace touchstone::taint
