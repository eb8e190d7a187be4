#include "program/values/StorageCopy.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>

#include <cstring>

namespace touchstone::values {

c10::Storage copyOfStorage(const c10::Storage& storage) {
  const auto bytes = static_cast<int64_t>(storage.nbytes());
  const at::TensorOptions options = at::TensorOptions().dtype(at::kByte).device(storage.device());
  at::Tensor holder = at::empty({bytes}, options);
  if (bytes > 0 && storage.device().is_cpu()) {
    std::memcpy(holder.mutable_data_ptr(), storage.data(), static_cast<size_t>(bytes));
  } else if (bytes > 0) {
    holder.copy_(at::empty({0}, options).set_(storage, 0, {bytes}, {1}));
  }
  return holder.storage();
}

at::Tensor tensorOver(const c10::Storage& storage, const at::Tensor& tensor) {
  const at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor result = at::empty({0}, tensor.options().device(storage.device()).requires_grad(false));
  result.set_(storage, tensor.storage_offset(), tensor.sizes(), tensor.strides());
  if (tensor.is_conj()) {
    result._set_conj(true);
  }
  if (tensor.is_neg()) {
    result._set_neg(true);
  }
  return result;
}

at::Tensor tensorOver(const c10::Storage& storage, const ir::TensorMetadata& geometry) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const auto dtype = static_cast<at::ScalarType>(geometry.dtype.value);
  at::Tensor result = at::empty({0}, at::TensorOptions().dtype(dtype).device(storage.device()));
  result.set_(storage, geometry.offset, geometry.sizes, geometry.strides);
  result.unsafeGetTensorImpl()->_set_conj(geometry.conjugate);
  result.unsafeGetTensorImpl()->_set_neg(geometry.negative);
  return result;
}

at::Tensor StorageCopies::copy(const at::Tensor& tensor) {
  const auto [entry, isFresh] = copies_.try_emplace(tensor.storage().unsafeGetStorageImpl());
  if (isFresh) {
    entry->second = copyOfStorage(tensor.storage());
  }
  return tensorOver(entry->second, tensor);
}

} // namespace touchstone::values
