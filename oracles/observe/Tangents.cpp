#include "oracles/observe/Tangents.h"

#include "program/values/Data.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <c10/util/Exception.h>

#include <vector>

namespace touchstone::observe {
namespace {

at::Tensor transposed(const at::Tensor& values) {
  std::vector<int64_t> reversed(static_cast<size_t>(values.dim()));
  for (size_t d = 0; d < reversed.size(); ++d) {
    reversed[d] = values.dim() - 1 - static_cast<int64_t>(d);
  }
  return values.permute(reversed).contiguous().permute(reversed);
}

at::Tensor expanded(const at::Tensor& values) {
  return values.dim() == 0 || values.size(0) == 0 ? values : values.narrow(0, 0, 1).expand(values.sizes());
}

at::Tensor gapped(const at::Tensor& values) {
  if (values.dim() == 0) {
    return values;
  }
  std::vector<int64_t> sizes = values.sizes().vec();
  sizes.back() *= 2;
  at::Tensor wide = at::zeros(sizes, values.options());
  at::Tensor everySecond = wide.slice(-1, 0, sizes.back(), 2);
  everySecond.copy_(values);
  return everySecond;
}

at::Tensor likeRoot(const at::Tensor& values, const at::Tensor& root) {
  return root.is_contiguous() ? values : at::empty_like(root, values.options()).copy_(values);
}

} // namespace

at::Tensor makeTangent(const at::Tensor& root, language::TangentLayout layout, int64_t seed, int64_t rootNumber,
                       const evaluator::DataHook& onData) {
  if (layout == language::TangentLayout::kNone) {
    return {};
  }
  // Below autograd: the tangents are constants, and views of them are not tracked.
  at::AutoDispatchBelowADInplaceOrView guard;
  at::Tensor values = values::data(root.sizes(), root.scalar_type(), seed, values::kTangentNumber + rootNumber, "grid");
  if (onData) {
    values = onData(values);
  }
  values = values.to(root.device());
  switch (layout) {
    case language::TangentLayout::kLike: return likeRoot(values, root);
    case language::TangentLayout::kTransposed: return transposed(values);
    case language::TangentLayout::kExpanded: return expanded(values);
    case language::TangentLayout::kGapped: return gapped(values);
    default: return values;
  }
}

} // namespace touchstone::observe
