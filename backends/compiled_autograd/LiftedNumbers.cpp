#include "backends/compiled_autograd/LiftedNumbers.h"

#include "graph/symbols/SymbolicGraph.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
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

/// As many bytes, which are those of the storage over and over.
at::Tensor repeated(const c10::Storage& storage, int64_t bytes, int64_t unit) {
  const at::TensorOptions options = at::TensorOptions().dtype(at::kByte).device(storage.device());
  const int64_t whole = static_cast<int64_t>(storage.nbytes()) / unit * unit;
  if (whole == 0) {
    return at::zeros({bytes}, options);
  }
  at::Tensor values = at::empty({0}, options).set_(storage, 0, {whole}, {1});
  return values.repeat({(bytes + whole - 1) / whole}).slice(0, 0, bytes).clone();
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
  const at::AutoDispatchBelowADInplaceOrView below;
  std::map<const c10::StorageImpl*, std::vector<size_t>> memories;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].defined()) {
      memories[tensors[i].storage().unsafeGetStorageImpl()].push_back(i);
    }
  }
  std::vector<at::Tensor> made(tensors.size());
  for (const auto& [memory, members] : memories) {
    const bool isAsItIs = std::all_of(members.begin(), members.end(), [&](size_t i) {
      const TensorState& state = numbers.tensors[i];
      return tensors[i].sizes() == at::IntArrayRef(state.sizes) &&
             tensors[i].strides() == at::IntArrayRef(state.strides) && tensors[i].storage_offset() == state.offset;
    });
    if (isAsItIs) {
      continue;
    }
    int64_t end = 0, endNow = 0, unit = 1;
    for (const size_t i : members) {
      if (tensors[i].is_conj() || tensors[i].is_neg()) {
        throw symbols::NotSymbolic(fmt::format("inputs[{}] is conjugated or negated", i));
      }
      end = std::max(end, endOf(numbers.tensors[i]));
      endNow = std::max(endNow, endOf(TensorState::of(tensors[i])));
      unit = std::max(unit, static_cast<int64_t>(tensors[i].element_size()));
    }
    const c10::Storage& storage = tensors[members[0]].storage();
    const int64_t behind = std::max<int64_t>(0, static_cast<int64_t>(storage.nbytes()) - endNow);
    const at::Tensor bytes = repeated(storage, end + behind, unit);
    for (const size_t i : members) {
      const TensorState& state = numbers.tensors[i];
      made[i] = at::empty({0}, tensors[i].options().requires_grad(false));
      made[i].set_(bytes.storage(), state.offset, state.sizes, state.strides);
    }
  }
  return made;
}

} // namespace touchstone::compiled_autograd
