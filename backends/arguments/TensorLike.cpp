#include "backends/arguments/TensorLike.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>

namespace touchstone::arguments {

namespace {

bool areContiguous(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  int64_t next = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (strides[d] != next) {
      return false;
    }
    next *= sizes[d];
  }
  return true;
}

/// Writes the values of `like`, which has some, over and over.
void repeatInto(char* memory, size_t bytes, const at::Tensor& like) {
  const at::Tensor flat = like.contiguous();
  size_t written = std::min(bytes, flat.nbytes());
  std::memcpy(memory, flat.const_data_ptr(), written);
  while (written < bytes) { // what was written is the values once or several times
    const size_t next = std::min(written, bytes - written);
    std::memcpy(memory + written, memory, next);
    written += next;
  }
}

/// Of plain memory. Values of `like`, over and over, in the order of the elements.
at::Tensor repeated(const at::Tensor& like, int64_t elements) {
  at::Tensor values = at::empty({elements}, like.options());
  repeatInto(static_cast<char*>(values.mutable_data_ptr()), values.nbytes(), like);
  return values;
}

/// Values of `like`, over and over.
at::Tensor filled(const at::Tensor& like, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  int64_t extent = 1;
  int64_t elements = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    extent += (sizes[d] - 1) * strides[d];
    elements *= sizes[d];
  }
  extent = elements == 0 ? 0 : extent;
  int64_t hinted = like.numel() == 0 ? 0 : 1;
  for (int64_t d = 0; d < like.dim() && hinted > 0; ++d) {
    hinted += (like.size(d) - 1) * like.stride(d);
  }
  const auto whole = static_cast<int64_t>(like.storage().nbytes() / like.element_size());
  const at::Tensor memory = at::zeros({extent + std::max<int64_t>(0, whole - hinted)}, like.options());
  const bool isWhole = whole >= like.storage_offset() + hinted; // no memory was taken away
  const bool isPlain = like.is_cpu() && !like.is_conj() && !like.is_neg() && isWhole;
  const bool hasValues = elements > 0 && like.numel() > 0;
  if (hasValues && isPlain && areContiguous(sizes, strides)) {
    const auto each = static_cast<int64_t>(like.element_size());
    repeatInto(static_cast<char*>(memory.mutable_data_ptr()) + like.storage_offset() * each,
               static_cast<size_t>(elements * each), like);
  } else if (hasValues) {
    at::Tensor made = memory.as_strided(sizes, strides, like.storage_offset());
    const at::Tensor flat = like.contiguous().view(-1);
    at::Tensor values =
        isPlain ? repeated(like, elements).view(sizes)
                : flat.repeat({(elements + flat.numel() - 1) / flat.numel()}).slice(0, 0, elements).view(sizes);
    for (size_t d = 0; d < strides.size(); ++d) {
      if (strides[d] == 0) { // one element, seen several times
        made = made.narrow(static_cast<int64_t>(d), 0, 1);
        values = values.narrow(static_cast<int64_t>(d), 0, 1);
      }
    }
    made.copy_(values);
  }
  at::Tensor result = at::empty({0}, like.options());
  result.set_(memory.storage(), like.storage_offset(), sizes, strides); // no view of anything
  return result;
}

} // namespace

at::Tensor tensorLike(const at::Tensor& like, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  at::Tensor made;
  {
    const at::NoGradGuard noGrad;
    made = filled(like.detach(), sizes, strides);
  }
  made.set_requires_grad(like.requires_grad());
  if (like.requires_grad() && !like.is_leaf()) {
    const c10::AutoGradMode grad(true);
    at::Tensor copy = made.clone(); // with the strides of what is dense
    return copy;
  }
  return made;
}

} // namespace touchstone::arguments
