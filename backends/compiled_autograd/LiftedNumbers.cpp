#include "backends/compiled_autograd/LiftedNumbers.h"

#include "graph/runtime/Interpreter.h"
#include "program/values/StorageCopy.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace touchstone::compiled_autograd {

namespace {

template <class Numbers, class See>
void forEachNumber(Numbers& numbers, const See& see) {
  for (auto& tensor : numbers.tensors) {
    for (auto& size : tensor.sizes) {
      see(size);
    }
    for (auto& stride : tensor.strides) {
      see(stride);
    }
    see(tensor.offset);
  }
  for (auto& size : numbers.sizes) {
    see(size);
  }
}

/// Behind the last byte that is read.
int64_t endOf(const TensorState& state) {
  int64_t extent = state.offset + 1;
  for (size_t d = 0; d < state.sizes.size(); ++d) {
    if (state.sizes[d] == 0) {
      return 0;
    }
    extent += (state.sizes[d] - 1) * state.strides[d];
  }
  return extent * static_cast<int64_t>(c10::elementSize(state.dtype));
}

} // namespace

LiftedNumbers LiftedNumbers::of(const BackwardKey& key) {
  LiftedNumbers numbers;
  for (const auto& size : key.lifted->all_size_inputs) {
    numbers.sizes.push_back(size.value);
  }
  for (const at::Tensor& tensor : key.tensors()) {
    numbers.tensors.push_back(TensorState::of(tensor));
  }
  return numbers;
}

bool LiftedNumbers::fits(const BackwardKey& key) const {
  const auto& lifted = key.lifted->all_size_inputs;
  return std::equal(sizes.begin(), sizes.end(), lifted.begin(), lifted.end(),
                    [](int64_t known, const auto& size) { return known == size.value; }) &&
         std::equal(tensors.begin(), tensors.end(), key.tensors().begin(), key.tensors().end(),
                    [](const auto& known, const at::Tensor& tensor) { return known.fits(tensor); });
}

bool LiftedNumbers::isLike(const LiftedNumbers& other) const {
  return sizes.size() == other.sizes.size() &&
         std::equal(tensors.begin(), tensors.end(), other.tensors.begin(), other.tensors.end(),
                    [](const TensorState& left, const TensorState& right) {
                      return left.isDefined == right.isDefined && left.dispatchKeys == right.dispatchKeys &&
                             left.dtype == right.dtype && left.device == right.device &&
                             left.sizes.size() == right.sizes.size() && left.strides.size() == right.strides.size();
                    });
}

std::vector<int64_t> LiftedNumbers::all() const {
  std::vector<int64_t> numbers;
  forEachNumber(*this, [&](int64_t number) { numbers.push_back(number); });
  return numbers;
}

void LiftedNumbers::setAll(const std::vector<int64_t>& numbers) {
  size_t next = 0;
  forEachNumber(*this, [&](int64_t& number) { number = numbers.at(next++); });
}

std::vector<bool> LiftedNumbers::areSizes() const {
  std::vector<bool> are;
  for (const TensorState& tensor : tensors) {
    are.insert(are.end(), tensor.sizes.size(), true);
    are.insert(are.end(), tensor.strides.size() + 1, false);
  }
  are.insert(are.end(), sizes.size(), true);
  return are;
}

std::string LiftedNumbers::nameOf(size_t number) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t rank = tensors[i].sizes.size(), strides = tensors[i].strides.size();
    if (number < rank) {
      return fmt::format("inputs[{}].size()[{}]", i, number);
    }
    if (number < rank + strides) {
      return fmt::format("inputs[{}].stride()[{}]", i, number - rank);
    }
    if (number == rank + strides) {
      return fmt::format("inputs[{}].storage_offset()", i);
    }
    number -= rank + strides + 1;
  }
  return fmt::format("sizes[{}]", number);
}

std::vector<at::Tensor> tensorsWith(const std::vector<at::Tensor>& tensors, const LiftedNumbers& numbers) {
  std::map<const c10::StorageImpl*, std::vector<size_t>> memories;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined()) {
      memories[tensors[i].storage().unsafeGetStorageImpl()].push_back(i);
    }
  }
  std::vector<at::Tensor> made(tensors.size());
  for (const auto& [memory, members] : memories) {
    int64_t end = 0, endNow = 0;
    for (const size_t i : members) {
      end = std::max(end, endOf(numbers.tensors[i]));
      endNow = std::max(endNow, endOf(TensorState::of(tensors[i])));
    }
    const c10::Storage& storage = tensors[members[0]].storage();
    const int64_t behind = std::max<int64_t>(0, static_cast<int64_t>(storage.nbytes()) - endNow);
    const at::Tensor bytes = at::empty({end + behind}, at::TensorOptions().dtype(at::kByte).device(at::kMeta));
    for (const size_t i : members) {
      ir::TensorMetadata geometry = runtime::metadataOf(tensors[i]);
      geometry.sizes = numbers.tensors[i].sizes;
      geometry.strides = numbers.tensors[i].strides;
      geometry.offset = numbers.tensors[i].offset;
      made[i] = values::tensorOver(bytes.storage(), geometry);
    }
  }
  return made;
}

} // namespace touchstone::compiled_autograd
