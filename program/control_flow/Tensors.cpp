#include "program/control_flow/Tensors.h"

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/select_copy.h>

#include <algorithm>
#include <typeinfo>

namespace touchstone::control_flow {

at::Tensor copyOf(const at::Tensor& tensor) {
  const c10::AutoGradMode withoutGradients(false);
  if (tensor.layout() != at::kStrided || at::has_internal_overlap(tensor) != at::MemOverlap::No) {
    return tensor.detach().clone();
  }
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options()).copy_(tensor);
}

at::Tensor zerosFor(const at::Tensor& tensor) {
  const c10::AutoGradMode withoutGradients(false);
  const at::TensorOptions options = at::TensorOptions().dtype(tensor.scalar_type()).device(at::kCPU);
  return at::empty_strided(tensor.sizes(), tensor.strides(), options).zero_();
}

TensorList zerosFor(const TensorList& tensors) {
  TensorList zeros;
  for (const at::Tensor& each : tensors) {
    zeros.push_back(zerosFor(each));
  }
  return zeros;
}

TensorList withoutValues(const TensorList& tensors) {
  TensorList metas;
  for (const at::Tensor& each : tensors) {
    const at::TensorOptions options = each.options().device(at::kMeta);
    const int64_t offset = each.storage_offset();
    const auto elements = static_cast<int64_t>(
        at::detail::computeStorageNbytes(each.sizes(), each.strides(), 1, static_cast<size_t>(offset)));
    metas.push_back(offset == 0 ? at::empty_strided(each.sizes(), each.strides(), options)
                                : at::empty({elements}, options).as_strided(each.sizes(), each.strides(), offset));
  }
  return metas;
}

bool isPlain(const at::Tensor& tensor) {
  return typeid(*tensor.unsafeGetTensorImpl()) == typeid(c10::TensorImpl) && !tensor.is_meta();
}

TensorList slice(const TensorList& tensors, size_t first, size_t count) {
  const auto begin = tensors.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

TensorList joined(std::initializer_list<TensorList> parts) {
  TensorList all;
  for (const TensorList& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TensorList selected(const TensorList& tensors, int64_t index) {
  TensorList parts;
  for (const at::Tensor& tensor : tensors) {
    parts.push_back(tensor.select(0, index));
  }
  return parts;
}

TensorList firstCopies(const TensorList& tensors) {
  const c10::AutoGradMode withoutGradients(false);
  TensorList parts;
  for (const at::Tensor& tensor : tensors) {
    parts.push_back(at::select_copy(tensor, 0, 0));
  }
  return parts;
}

bool shareMemory(const at::Tensor& left, const at::Tensor& right) {
  const auto baseOf = [](const at::Tensor& tensor) { return tensor.is_view() ? tensor._base() : tensor; };
  if (baseOf(left).is_same(baseOf(right))) { // also of tensors of a trace, whose memory is nowhere
    return true;
  }
  return left.has_storage() && right.has_storage() &&
         left.storage().unsafeGetStorageImpl() == right.storage().unsafeGetStorageImpl();
}

TensorList apart(TensorList tensors) {
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (std::any_of(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const at::Tensor& other) { return shareMemory(tensors[i], other); })) {
      tensors[i] = copyOf(tensors[i]);
    }
  }
  return tensors;
}

} // namespace touchstone::control_flow
