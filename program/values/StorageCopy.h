#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

#include <unordered_map>

namespace touchstone::values {

/// The bytes of a storage in a new one on the same device.
c10::Storage copyOfStorage(const c10::Storage& storage);

/// A strided tensor like `tensor` over another storage: dtype, sizes, strides, offset and lazy bits; on the storage's device, without
/// history, and not counted as a write.
at::Tensor tensorOver(const c10::Storage& storage, const at::Tensor& tensor);
/// The same of the geometry that is known of one. A storage that is too small grows.
at::Tensor tensorOver(const c10::Storage& storage, const ir::TensorMetadata& geometry);

/// Copies of strided tensors; those in one memory lie in one copy of it.
class StorageCopies {
 public:
  at::Tensor copy(const at::Tensor& tensor);

 private:
  std::unordered_map<const c10::StorageImpl*, c10::Storage> copies_;
};

} // namespace touchstone::values
