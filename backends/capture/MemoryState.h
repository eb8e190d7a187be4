#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::backends {

/// What a tensor shares with others and how autograd sees it: what compiled code relies on that writes to it, or returns
/// something over its memory.
struct MemoryState {
  int64_t offset = 0;
  size_t bytes = 0;
  bool isLeaf = true, retainsGrad = false;
  int view = -1; // how it was made, of a differentiable view
  int base = -1; // its number among the tensors looked at
  int storage = 0, version = 0; // numbered by first appearance
  std::vector<int64_t> hidden; // of a base that is no input: dtype, dispatch keys, requires_grad, sizes and strides
  bool operator==(const MemoryState&) const = default;
};

/// Where a tensor lies and what it is to autograd: what a Program may ask for by itself.
struct PlaceState {
  int64_t offset = 0;
  bool isLeaf = true, retainsGrad = false;
  int view = -1; // as MemoryState::view

  static PlaceState of(const at::Tensor& tensor);
  bool operator==(const PlaceState& other) const = default;
};

/// How a tensor's place is another than was expected: `storage offset mismatch. expected 0, actual 1`.
std::string placeMismatch(const PlaceState& expected, const PlaceState& actual);

/// Of the tensors, then of the bases of views among them that are not such tensors themselves.
std::vector<MemoryState> memoryStatesOf(std::vector<const at::Tensor*> tensors);

/// The first that differs of two lists of one length, about tensors of these sources and the bases of views behind them;
/// empty: none.
std::string memoryMismatch(const std::vector<MemoryState>& expected, const std::vector<MemoryState>& actual,
                           const std::vector<std::string>& sources);

} // namespace touchstone::backends
