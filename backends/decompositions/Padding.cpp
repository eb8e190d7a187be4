#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>

#include <algorithm>

namespace touchstone::decompositions {
namespace {

/// Which element of a dimension of `size` elements each element of the padded dimension shows.
using Shown = at::Tensor (*)(const at::Tensor& positions, int64_t size);

at::Tensor mirrored(const at::Tensor& positions, int64_t size) {
  return positions.abs().sub(size - 1).abs().neg().add(size - 1);
}

at::Tensor repeated(const at::Tensor& positions, int64_t size) {
  return positions.clamp(0, size - 1);
}

/// `padding` names the last dimension first. Gives the indices of the padded dimensions, which broadcast.
std::vector<at::Tensor> shownElements(const at::Tensor& self, at::IntArrayRef padding, Shown shown) {
  const auto padded = static_cast<int64_t>(padding.size()) / 2;
  TORCH_CHECK(self.dim() > padded, "padding of ", padded, " dimensions of ", self.sizes());
  std::vector<at::Tensor> indices;
  for (int64_t i = 0; i < padded; ++i) {
    const auto at = static_cast<size_t>(2 * (padded - 1 - i));
    const int64_t size = self.size(i - padded);
    const at::Tensor positions =
        at::arange(-padding[at], size + padding[at + 1], at::TensorOptions(self.device()).dtype(at::kLong));
    indices.push_back(alongDimension(shown(positions, size), i, padded));
  }
  return indices;
}

template <Shown shown>
at::Tensor padded(const at::Tensor& self, at::IntArrayRef padding) {
  const std::vector<at::Tensor> indices = shownElements(self, padding, shown);
  return at::index(self, indicesFrom(self.dim() - static_cast<int64_t>(indices.size()), indices));
}

at::Tensor reflectionBackward(const at::Tensor& grad, const at::Tensor& self, at::IntArrayRef padding) {
  const std::vector<at::Tensor> indices = shownElements(self, padding, mirrored);
  const int64_t first = self.dim() - static_cast<int64_t>(indices.size());
  // Zeros that have come of `self`: eager's gradient has, so that it requires grad where a second one is asked for.
  const at::Tensor zeros = at::fill(self, 0).contiguous();
  return at::index_put(zeros, indicesFrom(first, indices), grad, true);
}

} // namespace

/// Padding with elements of the tensor.
void addPadding(DecompositionTable& table) {
  for (const char* dimensions : {"1d", "2d", "3d"}) {
    table.add(std::string("aten::reflection_pad") + dimensions, padded<mirrored>);
    table.add(std::string("aten::replication_pad") + dimensions, padded<repeated>);
    table.add(std::string("aten::reflection_pad") + dimensions + "_backward", reflectionBackward);
  }
}

} // namespace touchstone::decompositions
