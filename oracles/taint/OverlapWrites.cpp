#include "oracles/taint/OverlapWrites.h"

#include "oracles/taint/TaintFlow.h"
#include "program/operators/OperatorFacts.h"
#include "program/values/TensorWalk.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace touchstone::taint {
namespace {

/// Calls `visit` with each tensor of a stack entry that is defined.
template <class Visit>
void eachTensor(const c10::IValue& value, Visit visit) {
  values::forEachTensor(value, [&](const at::Tensor& tensor) {
    if (tensor.defined()) {
      visit(tensor);
    }
  });
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

/// Every element's first byte within the storage.
std::vector<int64_t> sortedBytes(const at::Tensor& tensor) {
  std::vector<int64_t> bytes{tensor.storage_offset() * tensor.element_size()};
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    const size_t count = bytes.size();
    std::vector<int64_t> all;
    for (int64_t i = 0; i < tensor.size(d); ++i) {
      for (size_t k = 0; k < count; ++k) {
        all.push_back(bytes[k] + i * tensor.stride(d) * tensor.element_size());
      }
    }
    bytes = std::move(all);
  }
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

bool sharesMemory(const at::Tensor& written, const at::Tensor& read) {
  return written.has_storage() && read.has_storage() && written.is_alias_of(read) && written.numel() > 0 &&
         read.numel() > 0;
}

/// Of two that share memory: some element is written while another position of the result is computed from it.
bool readsElsewhere(const at::Tensor& written, const at::Tensor& read, bool anywhere) {
  if (!anywhere && written.sizes() == read.sizes() && written.strides() == read.strides() &&
      written.storage_offset() == read.storage_offset() && written.element_size() == read.element_size()) {
    return false;
  }
  const std::vector<int64_t> left = sortedBytes(written), right = sortedBytes(read);
  for (int64_t byte : left) {
    const auto next = std::upper_bound(right.begin(), right.end(), byte - read.element_size());
    if (next != right.end() && *next < byte + written.element_size()) {
      return true;
    }
  }
  return false;
}

/// Takes the number out of a tensor without dimensions before it writes anywhere: `x.fill_(x[1])` has one result.
bool readsFirst(const c10::OperatorHandle& op, const c10::Argument& argument, const at::Tensor& read) {
  static const std::set<std::string_view> names{"fill_", "masked_fill_", "index_fill_"};
  return read.dim() == 0 && argument.name() == "value" && names.contains(nameOf(op));
}

/// Computes elements of what it writes from others of this argument than that at the same place: by an index, or as a
/// product of matrices.
bool readsAnywhere(const c10::OperatorHandle& op, const c10::Argument& argument) {
  const std::string_view name = nameOf(op);
  const operators::OperatorFacts& facts = operators::factsOf(name);
  return (facts.has(operators::kWritesByIndex) && operators::isInPlaceName(name)) || facts.has(operators::kProduct) ||
         (facts.has(operators::kAddsProduct) && argument.name() != "self");
}

/// Computes elements in place from others of the same tensor.
bool readsNeighbours(std::string_view name) {
  return operators::isInPlaceName(name) && operators::factsOf(name).has(operators::kReadsNeighbours);
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

bool OverlapWrites::before(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  viewOfOverlapping_ = false;
  bool overlapping = false, readsItself = false;
  const bool writesNothing = changesMetadataOnly(nameOf(op));
  const std::vector<c10::Argument>& arguments = op.schema().arguments();
  const size_t first = stack.size() - arguments.size();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const c10::AliasInfo* alias = arguments[i].alias_info();
    const bool writes = alias && alias->isWrite() && !writesNothing;
    // `set_` says of its source neither that it is read nor that the result is a view of it.
    if (!alias && !(writesNothing && arguments[i].name() == "source")) {
      continue;
    }
    eachTensor(stack[first + i], [&](const at::Tensor& tensor) {
      if (overlaps(tensor)) {
        overlapping = overlapping || writes;
        readsItself = readsItself || (writes && readsNeighbours(nameOf(op)));
        viewOfOverlapping_ = viewOfOverlapping_ || !writes;
      }
      writes_ = writes_ || writes;
      if (writes && !readsItself) {
        for (size_t j = 0; j < arguments.size(); ++j) {
          eachTensor(stack[first + j], [&](const at::Tensor& other) {
            if (j != i && !readsItself && sharesMemory(tensor, other)) {
              readsItself = !readsFirst(op, arguments[j], other) &&
                            readsElsewhere(tensor, other, readsAnywhere(op, arguments[j]));
            }
          });
        }
      }
    });
  }
  seen_ = seen_ || overlapping;
  readsItself_ = readsItself_ || readsItself;
  return overlapping || readsItself;
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
  const bool isSuchWrite = before(op, stack);
  try {
    op.callBoxed(stack);
  } catch (...) {
    raisedMidway_ = raisedMidway_ || isSuchWrite;
    throw;
  }
  after(op, stack);
  return true;
}

} // namespace touchstone::taint
