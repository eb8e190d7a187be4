#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

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

/// They share memory, and the bytes from first to last of the one meet those of the other.
inline bool mayMeet(const at::Tensor& left, const at::Tensor& right) {
  const auto bytesOf = [](const at::Tensor& tensor) {
    int64_t span = 1;
    for (int64_t i = 0; i < tensor.dim(); ++i) {
      span += (tensor.size(i) - 1) * tensor.stride(i);
    }
    const auto size = static_cast<int64_t>(tensor.element_size());
    return std::pair(tensor.storage_offset() * size, (tensor.storage_offset() + span) * size);
  };
  if (!shareMemory(left, right) || left.numel() == 0 || right.numel() == 0) {
    return false;
  }
  const auto [first, end] = bytesOf(left);
  const auto [otherFirst, otherEnd] = bytesOf(right);
  return first < otherEnd && otherFirst < end;
}

} // namespace touchstone::fake
