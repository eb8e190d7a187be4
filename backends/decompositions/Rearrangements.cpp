#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/index.h>
#include <ATen/ops/le.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace touchstone::decompositions {
namespace {

at::Tensor rolledAlong(const at::Tensor& self, int64_t shift, int64_t dim) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(dim);
  const int64_t start = size == 0 ? 0 : (((size - shift) % size) + size) % size;
  if (start == 0) {
    return self.clone(at::MemoryFormat::Contiguous);
  }
  return at::cat({self.narrow(dim, start, size - start), self.narrow(dim, 0, start)}, dim);
}

at::Tensor rolled(const at::Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims) {
  TORCH_CHECK(!shifts.empty(), "roll: there is no shift");
  if (dims.empty()) {
    TORCH_CHECK(shifts.size() == 1, "roll: one shift for the flattened tensor, not ", shifts.size());
    return rolledAlong(self.reshape({-1}), shifts[0], 0).reshape(self.sizes());
  }
  TORCH_CHECK(shifts.size() == dims.size(), "roll: as many shifts as dimensions");
  at::Tensor result = self;
  for (size_t i = 0; i < dims.size(); ++i) {
    result = rolledAlong(result, shifts[i], dims[i]);
  }
  return result;
}

at::Tensor flipped(const at::Tensor& self, at::IntArrayRef dims) {
  at::Tensor result = self.clone(at::MemoryFormat::Contiguous);
  for (const int64_t given : dims) {
    const int64_t dim = c10::maybe_wrap_dim(given, self.dim());
    if (self.dim() == 0 || self.size(dim) < 2 || self.numel() == 0) {
      continue;
    }
    const at::Tensor backwards =
        at::arange(self.size(dim) - 1, -1, -1, at::TensorOptions(self.device()).dtype(at::kLong));
    result = at::index(result, indicesFrom(dim, {backwards}));
  }
  return result;
}

at::Tensor rotated(const at::Tensor& self, int64_t turns, at::IntArrayRef dims) {
  TORCH_CHECK(dims.size() == 2, "rot90: two dimensions, not ", dims.size());
  switch (((turns % 4) + 4) % 4) {
    case 1: return self.flip({dims[1]}).transpose(dims[0], dims[1]).clone(at::MemoryFormat::Contiguous);
    case 2: return self.flip(dims);
    case 3: return self.flip({dims[0]}).transpose(dims[0], dims[1]).clone(at::MemoryFormat::Contiguous);
    default: return self.clone(at::MemoryFormat::Contiguous);
  }
}

/// How far each element of a matrix lies above the diagonal.
at::Tensor diagonals(const at::Tensor& self) {
  TORCH_CHECK(self.dim() >= 2, "a matrix has two dimensions at least");
  return at::sub(counting(self.size(-1), self), counting(self.size(-2), self).unsqueeze(-1));
}

at::Tensor elseZero(const at::Tensor& condition, const at::Tensor& self) {
  return at::where(condition, self, at::zeros({}, self.options()));
}

at::Tensor shuffledChannels(const at::Tensor& self, int64_t groups) {
  TORCH_CHECK(self.dim() > 2 && groups > 0 && self.size(1) % groups == 0, "channel_shuffle: ", self.sizes(), " in ",
              groups, " groups");
  std::vector<int64_t> sizes = self.sizes().vec();
  sizes[1] /= groups;
  sizes.insert(sizes.begin() + 1, groups);
  return self.reshape(sizes).transpose(1, 2).reshape(self.sizes()).clone(at::MemoryFormat::Contiguous);
}

at::Tensor shuffledPixels(const at::Tensor& self, int64_t factor) {
  TORCH_CHECK(self.dim() >= 3 && factor > 0 && self.size(-3) % (factor * factor) == 0, "pixel_shuffle: ", self.sizes(),
              " by ", factor);
  const int64_t channels = self.size(-3) / (factor * factor);
  const std::vector<int64_t> before = self.sizes().slice(0, static_cast<size_t>(self.dim() - 3)).vec();
  const auto with = [&](std::vector<int64_t> last) {
    last.insert(last.begin(), before.begin(), before.end());
    return last;
  };
  const at::Tensor split = self.reshape(with({channels, factor, factor, self.size(-2), self.size(-1)}));
  return split.movedim({-4, -3}, {-3, -1})
      .reshape(with({channels, self.size(-2) * factor, self.size(-1) * factor}))
      .clone(at::MemoryFormat::Contiguous);
}

at::Tensor unshuffledPixels(const at::Tensor& self, int64_t factor) {
  TORCH_CHECK(self.dim() >= 3 && factor > 0 && self.size(-2) % factor == 0 && self.size(-1) % factor == 0,
              "pixel_unshuffle: ", self.sizes(), " by ", factor);
  const int64_t height = self.size(-2) / factor;
  const int64_t width = self.size(-1) / factor;
  const std::vector<int64_t> before = self.sizes().slice(0, static_cast<size_t>(self.dim() - 3)).vec();
  const auto with = [&](std::vector<int64_t> last) {
    last.insert(last.begin(), before.begin(), before.end());
    return last;
  };
  const at::Tensor split = self.reshape(with({self.size(-3), height, factor, width, factor}));
  return split.movedim({-3, -1}, {-4, -3})
      .reshape(with({self.size(-3) * factor * factor, height, width}))
      .clone(at::MemoryFormat::Contiguous);
}

at::Tensor stacked(at::TensorList tensors, int64_t dim) {
  TORCH_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  dim = c10::maybe_wrap_dim(dim, tensors[0].dim() + 1);
  std::vector<at::Tensor> layers;
  for (const at::Tensor& tensor : tensors) {
    TORCH_CHECK(tensor.sizes() == tensors[0].sizes(), "stack expects each tensor to be equal size");
    layers.push_back(tensor.unsqueeze(dim));
  }
  return at::cat(layers, dim);
}

} // namespace

/// Operators that only move elements.
void addRearrangements(DecompositionTable& table) {
  table.add("aten::roll", rolled);
  table.add("aten::flip", flipped);
  table.add("aten::rot90", rotated);
  table.add("aten::tril",
            [](const at::Tensor& self, int64_t diagonal) { return elseZero(at::le(diagonals(self), diagonal), self); });
  table.add("aten::triu",
            [](const at::Tensor& self, int64_t diagonal) { return elseZero(at::ge(diagonals(self), diagonal), self); });
  table.add("aten::channel_shuffle", shuffledChannels);
  table.add("aten::pixel_shuffle", shuffledPixels);
  table.add("aten::pixel_unshuffle", unshuffledPixels);
  table.add("aten::stack", stacked);
  for (const char* target : {"aten::block_diag", "aten::_chunk_cat"}) {
    table.addComposite(target);
  }
}

} // namespace touchstone::decompositions
