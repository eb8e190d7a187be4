#include "graph/program/StorageCopy.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstring>

namespace touchstone::graph {

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

} // namespace touchstone::graph
