#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace touchstone::observe {

/// What the version counters of tensors said, to tell later which were written to.
class Versions {
 public:
  void add(const std::vector<at::Tensor>& tensors);
  /// False for a tensor that was not added.
  bool bumped(const at::Tensor& tensor) const;

 private:
  std::vector<std::pair<const c10::TensorImpl*, int64_t>> before_;
};

} // namespace touchstone::observe
