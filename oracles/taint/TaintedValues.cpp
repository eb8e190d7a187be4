#include "oracles/taint/TaintedValues.h"

#include "program/values/AutogradNodes.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>

namespace touchstone::taint {

namespace {

/// Calls `visit` with the number of each element, row-major, and its first byte within the storage.
template <class Visit>
void eachElement(const at::Tensor& tensor, Visit visit) {
  const at::IntArrayRef sizes = tensor.sizes(), strides = tensor.strides();
  const auto itemBytes = static_cast<int64_t>(tensor.element_size());
  std::vector<int64_t> position(sizes.size(), 0);
  int64_t offset = tensor.storage_offset();
  for (int64_t element = 0; element < tensor.numel(); ++element) {
    visit(element, offset * itemBytes);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++position[dim] < sizes[dim]) {
        break;
      }
      offset -= strides[dim] * sizes[dim];
      position[dim] = 0;
    }
  }
}

bool hasStrides(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage();
}

} // namespace

std::vector<int64_t> firstBytesOf(const at::Tensor& tensor) {
  std::vector<int64_t> bytes(static_cast<size_t>(tensor.numel()));
  eachElement(tensor, [&](int64_t element, int64_t first) { bytes[static_cast<size_t>(element)] = first; });
  return bytes;
}

TaintMask unionOf(const at::Tensor& masks) {
  TaintMask all = 0;
  if (masks.defined()) {
    for (int64_t element = 0; element < masks.numel(); ++element) {
      all |= masks.const_data_ptr<TaintMask>()[element];
    }
  }
  return all;
}

const TaintedStorages::Notes* TaintedStorages::find(const at::Tensor& tensor) const {
  if (!hasStrides(tensor)) {
    return nullptr;
  }
  const auto found = storages_.find(tensor.storage().unsafeGetStorageImpl());
  return found == storages_.end() ? nullptr : &found->second;
}

void TaintedStorages::know(const at::Tensor& tensor) {
  if (hasStrides(tensor)) {
    storages_[tensor.storage().unsafeGetStorageImpl()].keptAlive = tensor.storage();
  }
}

bool TaintedStorages::knows(const at::Tensor& tensor) const {
  return !hasStrides(tensor) || find(tensor);
}

at::Tensor TaintedStorages::masksOf(const at::Tensor& tensor) const {
  const Notes* notes = find(tensor);
  if (!notes || notes->bytes.empty()) {
    return {};
  }
  const at::AutoDispatchBelowADInplaceOrView guard;
  at::Tensor masks = at::empty(tensor.sizes(), at::kByte);
  auto* out = masks.mutable_data_ptr<TaintMask>();
  TaintMask any = 0;
  const auto itemBytes = static_cast<int64_t>(tensor.element_size());
  eachElement(tensor, [&](int64_t element, int64_t first) {
    out[element] = 0;
    for (int64_t byte = first; byte < first + itemBytes && byte < static_cast<int64_t>(notes->bytes.size()); ++byte) {
      out[element] |= notes->bytes[static_cast<size_t>(byte)];
    }
    any |= out[element];
  });
  return any ? masks : at::Tensor();
}

void TaintedStorages::add(const at::Tensor& tensor, const at::Tensor& masks) {
  if (!hasStrides(tensor) || !masks.defined() || masks.numel() != tensor.numel()) {
    return;
  }
  know(tensor);
  std::vector<TaintMask>& bytes = storages_[tensor.storage().unsafeGetStorageImpl()].bytes;
  bytes.resize(std::max(bytes.size(), tensor.storage().nbytes()));
  const auto* in = masks.const_data_ptr<TaintMask>();
  const auto itemBytes = static_cast<int64_t>(tensor.element_size());
  eachElement(tensor, [&](int64_t element, int64_t first) {
    for (int64_t byte = first; byte < first + itemBytes && byte < static_cast<int64_t>(bytes.size()); ++byte) {
      bytes[static_cast<size_t>(byte)] |= in[element];
    }
    anywhere_ |= in[element];
  });
}

void TaintedStorages::add(const at::Tensor& tensor, TaintMask mask) {
  if (!hasStrides(tensor) || !mask) {
    return;
  }
  const at::AutoDispatchBelowADInplaceOrView guard;
  at::Tensor masks = at::empty(tensor.sizes(), at::kByte);
  std::fill_n(masks.mutable_data_ptr<TaintMask>(), masks.numel(), mask);
  add(tensor, masks);
}

void TaintedStorages::untaint(const at::Tensor& tensor) {
  if (const Notes* notes = find(tensor); !notes || notes->bytes.empty()) {
    return;
  }
  std::vector<TaintMask>& bytes = storages_[tensor.storage().unsafeGetStorageImpl()].bytes;
  const auto itemBytes = static_cast<int64_t>(tensor.element_size());
  eachElement(tensor, [&](int64_t, int64_t first) {
    for (int64_t byte = first; byte < first + itemBytes && byte < static_cast<int64_t>(bytes.size()); ++byte) {
      bytes[static_cast<size_t>(byte)] = 0;
    }
  });
}

std::vector<TaintMask> TaintedStorages::bytesOf(const at::Tensor& tensor) const {
  const Notes* notes = find(tensor);
  const bool any = notes && std::any_of(notes->bytes.begin(), notes->bytes.end(), [](TaintMask each) { return each; });
  return any ? notes->bytes : std::vector<TaintMask>();
}

void TaintedStorages::clear() {
  storages_.clear();
  anywhere_ = 0;
}

void TaintedNodes::markNode(const values::NodePtr& node, TaintMask mask) {
  if (!node) {
    return;
  }
  Mark& entry = marks_[node.get()];
  entry.keptAlive = node;
  entry.mask |= mask;
  anywhere_ |= mask;
}

void TaintedNodes::mark(const at::Tensor& result, TaintMask mask) {
  if (!result.defined() || !mask) {
    return;
  }
  try {
    markNode(result.grad_fn(), mask);
    // A write through a view is a step of the base's history; other views find it there.
    if (result.is_view()) {
      markNode(result._base().grad_fn(), mask);
    }
  } catch (const std::exception&) {
    // A view whose history may not be read (rule A9) is no root of a backward either.
  }
}

std::map<const c10::TensorImpl*, TaintMask> TaintedNodes::leavesFrom(const at::Tensor& root) const {
  std::map<const c10::TensorImpl*, TaintMask> leaves;
  std::map<torch::autograd::Node*, TaintMask> reached;
  std::vector<std::pair<torch::autograd::Node*, TaintMask>> pending;
  values::NodePtr start;
  try {
    start = root.grad_fn();
  } catch (const std::exception&) {
    return leaves;
  }
  if (start) {
    pending.emplace_back(start.get(), 0);
  }
  while (!pending.empty()) {
    auto [node, mask] = pending.back();
    pending.pop_back();
    const auto marked = marks_.find(node);
    if (marked != marks_.end()) {
      mask |= marked->second.mask;
    }
    const auto [entry, isNew] = reached.try_emplace(node, mask);
    if (!isNew && (entry->second | mask) == entry->second) {
      continue;
    }
    mask = entry->second |= mask;
    if (const auto* accumulate = dynamic_cast<torch::autograd::AccumulateGrad*>(node)) {
      leaves[accumulate->variable.unsafeGetTensorImpl()] |= mask;
    }
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      if (edge.function) {
        pending.emplace_back(edge.function.get(), mask);
      }
    }
  }
  return leaves;
}

void TaintedNodes::clear() {
  marks_.clear();
  anywhere_ = 0;
}

} // namespace touchstone::taint
