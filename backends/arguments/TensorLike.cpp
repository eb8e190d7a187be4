#include "backends/arguments/TensorLike.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace touchstone::arguments {

namespace {

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
  at::Tensor made = memory.as_strided(sizes, strides, like.storage_offset());
  if (elements > 0 && like.numel() > 0) {
    const at::Tensor flat = like.contiguous().view(-1);
    at::Tensor values = flat.repeat({(elements + flat.numel() - 1) / flat.numel()}).slice(0, 0, elements).view(sizes);
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
