#pragma once

#include "program/evaluator/ReadObserver.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::capture {

/// What a tensor shares with others and how autograd sees it: what compiled code relies on that writes to it, or returns
/// something over its memory.
struct MemoryState {
  int64_t offset = 0;
  int64_t bytes = 0;
  bool isLeaf = true, retainsGrad = false;
  int view = -1; // how it was made, of a differentiable view
  int base = -1; // its number among the tensors looked at
  int storage = 0, version = 0; // numbered by first appearance
  std::vector<int64_t> hidden; // of a base that is no input: dtype, dispatch keys, requires_grad
  std::vector<int64_t> hiddenSizes; // and sizes and strides
  bool operator==(const MemoryState&) const = default;
};

/// What a Program has asked of a tensor, and what the answer hangs on; the rest is as it is by default.
struct FactState {
  int64_t offset = 0;
  bool isLeaf = true, retainsGrad = false;
  int view = -1; // as MemoryState::view
  bool baseRequiresGrad = false, hasHooks = false;

  static FactState of(const at::Tensor& tensor, evaluator::Fact fact);
  bool operator==(const FactState& other) const = default;
};

/// How a fact is another than was expected: `storage offset mismatch. expected 0, actual 1`.
std::string factMismatch(const FactState& expected, const FactState& actual);

/// Of the tensors, then of the bases of views among them that are not such tensors themselves.
std::vector<MemoryState> memoryStatesOf(std::vector<const at::Tensor*> tensors);

/// The places of what are numbers of elements or bytes, the sizes and strides of hidden bases among them; all but these are the
/// same in `left` and `right`.
std::vector<int64_t*> numbersOf(std::vector<MemoryState>& states);
bool sameButNumbers(std::vector<MemoryState> left, std::vector<MemoryState> right);

/// The first that differs of two lists of one length, about tensors of these sources and the bases of views behind them;
/// empty: none.
std::string memoryMismatch(const std::vector<MemoryState>& expected, const std::vector<MemoryState>& actual,
                           const std::vector<std::string>& sources);

} // namespace touchstone::capture
