#pragma once

#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/Segment.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace touchstone::compiled_autograd {

/// What may be another number in a backward of the same structure: lifted sizes, and the sizes, strides and offsets of lifted
/// tensors.
struct LiftedNumbers {
  std::vector<int64_t> sizes;
  std::vector<TensorState> tensors;

  static LiftedNumbers of(const BackwardKey& key);
  bool fits(const BackwardKey& key) const;
  /// The same tensors but for numbers, of which there are as many.
  bool isLike(const LiftedNumbers& other) const;

  /// The numbers: those of each tensor, then the sizes.
  std::vector<int64_t> all() const;
  void setAll(const std::vector<int64_t>& numbers);
  /// By number: it says how large something is. Strides and offsets do not.
  std::vector<bool> areSizes() const;
  /// `inputs[2].size()[0]`, `sizes[4]`.
  std::string nameOf(size_t number) const;
};

/// Tensors like these with other numbers, on the meta device: what is saved for some sizes makes no sense for others, and kernels
/// would read by it. Those that lie in one memory do so again. Undefined ones stay so.
std::vector<at::Tensor> tensorsWith(const std::vector<at::Tensor>& tensors, const LiftedNumbers& numbers);

} // namespace touchstone::compiled_autograd
