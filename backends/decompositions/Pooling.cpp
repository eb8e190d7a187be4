#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"

#include <ATen/native/Pool.h>
#include <ATen/ops/add.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace touchstone::decompositions {
namespace {

/// Of one dimension, by window and by element of the window: which element of the input, and whether there is one.
struct Windows {
  at::Tensor positions;
  at::Tensor exist;
  int64_t count;
  int64_t length;
};

Windows windows(const at::Tensor& positions, const at::Tensor& exist, int64_t size) {
  return {positions.clamp(0, size - 1), exist, positions.size(0), positions.size(1)};
}

Windows slidingWindows(const at::Tensor& like, int64_t size, int64_t count, int64_t kernel, int64_t stride,
                       int64_t padding, int64_t dilation) {
  const at::Tensor starts = counting(count, like).mul(stride).sub(padding).unsqueeze(-1);
  const at::Tensor positions = at::add(starts, counting(kernel, like).mul(dilation));
  return windows(positions, at::logical_and(positions.ge(0), positions.lt(size)), size);
}

Windows adaptiveWindows(const at::Tensor& like, int64_t size, int64_t count) {
  int64_t longest = 0;
  for (int64_t i = 0; i < count; ++i) {
    longest = std::max(longest, ((i + 1) * size + count - 1) / count - i * size / count);
  }
  const at::Tensor ordinals = counting(count, like).unsqueeze(-1);
  const at::Tensor starts = ordinals.mul(size).div(count, "floor");
  const at::Tensor ends = ordinals.add(1).mul(size).add(count - 1).div(count, "floor");
  const at::Tensor positions = at::add(starts, counting(longest, like));
  return windows(positions, positions.lt(ends), size);
}

/// Windows by their ordinals, then their elements: this dimension's among those of all.
at::Tensor amongAll(const at::Tensor& matrix, size_t dim, size_t dimensions) {
  std::vector<int64_t> sizes(2 * dimensions, 1);
  sizes[dim] = matrix.size(0);
  sizes[dimensions + dim] = matrix.size(1);
  return matrix.reshape(sizes);
}

at::Scalar smallest(at::ScalarType dtype) {
  if (at::isFloatingType(dtype)) {
    return -std::numeric_limits<double>::infinity();
  }
  switch (dtype) {
    case at::kByte: return 0;
    case at::kChar: return std::numeric_limits<int8_t>::lowest();
    case at::kShort: return std::numeric_limits<int16_t>::lowest();
    case at::kInt: return std::numeric_limits<int32_t>::lowest();
    case at::kLong: return std::numeric_limits<int64_t>::lowest();
    default: throw NotDecomposed("of this dtype");
  }
}

using Pooled = std::tuple<at::Tensor, at::Tensor>;

/// The element of each window that the kernel finds: its last NaN, otherwise the first of its largest.
at::Tensor placeOfLargest(const at::Tensor& elements, const at::Tensor& exist, const at::Tensor& largest) {
  const int64_t length = elements.size(-1);
  const at::Tensor ordinals = counting(length, elements);
  const at::Tensor isLargest = at::logical_and(elements.eq(largest), exist);
  const at::Tensor first = at::amin(at::where(isLargest, ordinals, length - 1), {-1}, true);
  if (!elements.is_floating_point()) {
    return first;
  }
  const at::Tensor lastNan =
      at::amax(at::where(at::logical_and(elements.ne(elements), exist), ordinals, -1), {-1}, true);
  return at::where(lastNan.ge(0), lastNan, first);
}

Pooled pooled(const at::Tensor& self, const std::vector<Windows>& byDimension) {
  const size_t dimensions = byDimension.size();
  const auto before = self.dim() - static_cast<int64_t>(dimensions);
  at::Tensor exist;
  at::Tensor flat; // positions in the plane or volume
  std::vector<at::Tensor> indices;
  std::vector<int64_t> sizes = self.sizes().slice(0, static_cast<size_t>(before)).vec();
  std::vector<int64_t> windowed;
  int64_t length = 1;
  for (size_t i = 0; i < dimensions; ++i) {
    const at::Tensor positions = amongAll(byDimension[i].positions, i, dimensions);
    const at::Tensor there = amongAll(byDimension[i].exist, i, dimensions);
    exist = exist.defined() ? at::logical_and(exist, there) : there;
    const int64_t size = self.size(before + static_cast<int64_t>(i));
    flat = flat.defined() ? at::add(flat.mul(size), positions) : positions;
    indices.push_back(positions);
    windowed.push_back(byDimension[i].count);
    length *= byDimension[i].length;
  }
  sizes.insert(sizes.end(), windowed.begin(), windowed.end());
  const auto flattened = [&](std::vector<int64_t> of, const at::Tensor& tensor) {
    of.push_back(length);
    return tensor.reshape(of);
  };
  exist = flattened(windowed, exist);
  const at::Tensor elements =
      at::where(exist, flattened(sizes, at::index(self, indicesFrom(before, indices))), smallest(self.scalar_type()))
          .to(self.scalar_type());
  const at::Tensor largest = at::amax(elements, {-1}, true);
  const at::Tensor place = placeOfLargest(elements, exist, largest);
  const at::Tensor candidates = flattened(windowed, flat).expand(elements.sizes());
  return {largest.squeeze(-1), at::gather(candidates, -1, place).squeeze(-1)};
}

/// One number stands for all dimensions.
std::vector<int64_t> forEachDimension(at::IntArrayRef given, int64_t dimensions) {
  return given.size() == 1 ? std::vector<int64_t>(static_cast<size_t>(dimensions), given[0]) : given.vec();
}

template <int64_t dimensions>
Pooled maxPool(const at::Tensor& self, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
               at::IntArrayRef dilation, bool ceil) {
  if (self.numel() == 0) {
    throw NotDecomposed("of nothing");
  }
  const std::vector<int64_t> kernels = forEachDimension(kernel, dimensions);
  const std::vector<int64_t> strides = stride.empty() ? kernels : forEachDimension(stride, dimensions);
  const std::vector<int64_t> paddings = forEachDimension(padding, dimensions);
  const std::vector<int64_t> dilations = forEachDimension(dilation, dimensions);
  std::vector<Windows> byDimension;
  for (size_t i = 0; i < dimensions; ++i) {
    const int64_t size = self.size(static_cast<int64_t>(i) - dimensions);
    const int64_t count =
        at::native::pooling_output_shape<int64_t>(size, kernels[i], paddings[i], strides[i], dilations[i], ceil);
    byDimension.push_back(slidingWindows(self, size, count, kernels[i], strides[i], paddings[i], dilations[i]));
  }
  return pooled(self, byDimension);
}

template <int64_t dimensions>
Pooled adaptiveMaxPool(const at::Tensor& self, at::IntArrayRef sizes) {
  if (self.numel() == 0 || std::count(sizes.begin(), sizes.end(), 0) != 0) {
    throw NotDecomposed("of nothing");
  }
  const std::vector<int64_t> counts = forEachDimension(sizes, dimensions);
  std::vector<Windows> byDimension;
  for (size_t i = 0; i < dimensions; ++i) {
    byDimension.push_back(adaptiveWindows(self, self.size(static_cast<int64_t>(i) - dimensions), counts[i]));
  }
  return pooled(self, byDimension);
}

at::Tensor maxPoolBackward(const at::Tensor& grad, const at::Tensor& self, at::IntArrayRef, at::IntArrayRef,
                           at::IntArrayRef, at::IntArrayRef, bool, const at::Tensor& indices) {
  const at::Tensor zeros = at::zeros(self.sizes(), grad.options()).flatten(-2);
  return at::scatter_add(zeros, -1, indices.flatten(-2), grad.flatten(-2)).reshape(self.sizes());
}

template <int64_t dimensions>
at::Tensor maxUnpool(const at::Tensor& self, const at::Tensor& indices, at::IntArrayRef image) {
  TORCH_CHECK(indices.scalar_type() == at::kLong && indices.sizes() == self.sizes() && image.size() == dimensions,
              "max_unpool: ", self.sizes(), " at indices of ", indices.sizes());
  if (self.numel() == 0) {
    throw NotDecomposed("of nothing");
  }
  std::vector<int64_t> sizes = self.sizes().slice(0, static_cast<size_t>(self.dim() - dimensions)).vec();
  sizes.insert(sizes.end(), image.begin(), image.end());
  const at::Tensor zeros = at::zeros(sizes, self.options()).flatten(-dimensions);
  return at::scatter(zeros, -1, indices.flatten(-dimensions), self.flatten(-dimensions)).reshape(sizes);
}

} // namespace

void addPooling(DecompositionTable& table) {
  table.add("aten::max_pool2d_with_indices", maxPool<2>);
  table.add("aten::max_pool3d_with_indices", maxPool<3>);
  table.add("aten::max_pool2d_with_indices_backward", maxPoolBackward);
  table.add("aten::adaptive_max_pool2d", adaptiveMaxPool<2>);
  table.add("aten::adaptive_max_pool3d", adaptiveMaxPool<3>);
  table.add("aten::max_unpool2d", maxUnpool<2>);
  table.add("aten::max_unpool3d", [](const at::Tensor& self, const at::Tensor& indices, at::IntArrayRef image,
                                     at::IntArrayRef, at::IntArrayRef) { return maxUnpool<3>(self, indices, image); });
}

} // namespace touchstone::decompositions
