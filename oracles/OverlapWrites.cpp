#include "oracles/OverlapWrites.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace touchstone::oracles {
namespace {

/// Calls `visit` with each tensor of a stack entry: a tensor, or a list of (optional) tensors.
template <class Visit>
void eachTensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      visit(value.toTensor());
    }
  } else if (value.isTensorList() || value.isOptionalTensorList() || value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      if (item.isTensor() && item.toTensor().defined()) {
        visit(item.toTensor());
      }
    }
  }
}

/// Whether two of the offsets that the dimensions span are equal, by listing them all.
bool anyOffsetTwice(const std::vector<std::pair<int64_t, int64_t>>& strideAndSize) {
  std::vector<int64_t> offsets{0};
  for (const auto& [stride, size] : strideAndSize) {
    const size_t count = offsets.size();
    for (int64_t i = 1; i < size; ++i) {
      for (size_t k = 0; k < count; ++k) {
        offsets.push_back(offsets[k] + i * stride);
      }
    }
  }
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

} // namespace

bool overlapsItself(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided || tensor.numel() < 2 || tensor.is_non_overlapping_and_dense()) {
    return false;
  }
  std::vector<std::pair<int64_t, int64_t>> dimensions;
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    if (tensor.size(d) > 1) {
      dimensions.emplace_back(tensor.stride(d), tensor.size(d));
    }
  }
  std::sort(dimensions.begin(), dimensions.end());
  if (dimensions.front().first == 0) {
    return true;
  }
  // Apart for certain when each stride steps over all that the smaller ones span.
  int64_t span = 0;
  bool apart = true;
  for (const auto& [stride, size] : dimensions) {
    apart = apart && stride > span;
    span += stride * (size - 1);
  }
  return !apart && anyOffsetTwice(dimensions);
}

bool OverlapWrites::overlaps(const at::Tensor& tensor) const {
  return overlapsItself(tensor) || views_.count(tensor.unsafeGetTensorImpl()) > 0;
}

void OverlapWrites::before(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  viewOfOverlapping_ = false;
  const std::vector<c10::Argument>& arguments = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const c10::AliasInfo* alias = arguments[i].alias_info();
    if (!alias) {
      continue;
    }
    const bool mayBeView = !alias->isWrite();
    eachTensor(stack[stack.size() - arguments.size() + i], [&](const at::Tensor& tensor) {
      if (overlaps(tensor)) {
        seen_ = seen_ || alias->isWrite();
        viewOfOverlapping_ = viewOfOverlapping_ || mayBeView;
      }
    });
  }
}

void OverlapWrites::after(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  if (!viewOfOverlapping_) {
    return;
  }
  const std::vector<c10::Argument>& returns = op.schema().returns();
  for (size_t i = 0; i < returns.size(); ++i) {
    if (returns[i].alias_info()) {
      eachTensor(stack[stack.size() - returns.size() + i], [&](const at::Tensor& tensor) {
        views_.insert_or_assign(tensor.unsafeGetTensorImpl(),
                                c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()));
      });
    }
  }
}

bool OverlapWrites::operator()(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  before(op, stack);
  op.callBoxed(stack);
  after(op, stack);
  return true;
}

} // namespace touchstone::oracles
