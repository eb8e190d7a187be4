#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/diagonal_scatter.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/select_scatter.h>
#include <ATen/ops/slice_scatter.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace touchstone::decompositions {
namespace {

at::Tensor selectScattered(const at::Tensor& self, const at::Tensor& source, int64_t dim, int64_t index) {
  dim = c10::maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(dim);
  TORCH_CHECK_INDEX(-size <= index && index < size, "select_scatter: index ", index, " is out of range for size ",
                    size);
  TORCH_CHECK(source.sizes() == self.select(dim, index).sizes(), "select_scatter: the source has sizes ",
              source.sizes());
  const at::Tensor isChosen = at::eq(counting(size, self), index < 0 ? index + size : index);
  return at::where(alongDimension(isChosen, dim, self.dim()), source.to(self.scalar_type()).unsqueeze(dim), self);
}

/// Windows are added from the first to the last, in the dtype of the gradient, as the kernel does.
at::Tensor unfoldBackward(const at::Tensor& grad, at::IntArrayRef sizes, int64_t dim, int64_t size, int64_t step) {
  const auto dimensions = static_cast<int64_t>(sizes.size());
  if (dimensions == 0 || grad.dim() != dimensions + 1) {
    throw NotDecomposed("of a gradient whose sizes are not those of windows");
  }
  dim = c10::maybe_wrap_dim(dim, dimensions);
  const at::Tensor windows = counting(sizes[static_cast<size_t>(dim)], grad).unfold(0, size, step);
  return at::index_put(at::zeros(sizes, grad.options()), indicesFrom(dim, {windows}), grad.movedim(-1, dim + 1),
                       step < size);
}

} // namespace

/// Gradients of views, and what writes to a view of a copy.
void addViewGradients(DecompositionTable& table) {
  table.add("aten::select_scatter", selectScattered);
  table.add("aten::select_backward", [](const at::Tensor& grad, at::IntArrayRef sizes, int64_t dim, int64_t index) {
    return at::select_scatter(at::zeros(sizes, grad.options()), grad, dim, index);
  });
  table.add("aten::slice_backward",
            [](const at::Tensor& grad, at::IntArrayRef sizes, int64_t dim, int64_t start, int64_t end, int64_t step) {
              return at::slice_scatter(at::zeros(sizes, grad.options()), grad, dim, start, end, step);
            });
  table.add("aten::diagonal_backward",
            [](const at::Tensor& grad, at::IntArrayRef sizes, int64_t offset, int64_t first, int64_t second) {
              return at::diagonal_scatter(at::zeros(sizes, grad.options()), grad, offset, first, second);
            });
  table.add("aten::unfold_backward", unfoldBackward);
  table.add("aten::diag_embed", [](const at::Tensor& self, int64_t offset, int64_t first, int64_t second) {
    const int64_t dimensions = self.dim() + 1;
    first = c10::maybe_wrap_dim(first, dimensions);
    second = c10::maybe_wrap_dim(second, dimensions);
    TORCH_CHECK(first != second, "diag_embed: the two dimensions are the same: ", first);
    const int64_t length = self.size(-1) + std::abs(offset);
    std::vector<int64_t> sizes = self.sizes().vec();
    sizes.pop_back();
    sizes.insert(sizes.begin() + std::min(first, second), length);
    sizes.insert(sizes.begin() + std::max(first, second), length);
    return at::diagonal_scatter(at::zeros(sizes, self.options()), self, offset, first, second);
  });
}

} // namespace touchstone::decompositions
