#pragma once

#include <ATen/core/Tensor.h>

namespace touchstone::fake {

/// The memory that a tensor's strides go through; null: it has none.
inline const c10::StorageImpl* memoryOf(const at::Tensor& tensor) {
  const bool hasMemory = tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage();
  return hasMemory ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

/// Both have memory, and it is one.
inline bool shareMemory(const at::Tensor& left, const at::Tensor& right) {
  return memoryOf(left) != nullptr && memoryOf(left) == memoryOf(right);
}

} // namespace touchstone::fake
