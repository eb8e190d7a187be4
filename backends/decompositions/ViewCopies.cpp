#include "backends/decompositions/Families.h"

#include <ATen/ops/diagonal.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/unbind.h>

namespace touchstone::decompositions {
namespace {

at::Tensor copied(const at::Tensor& view) {
  return view.clone(at::MemoryFormat::Contiguous);
}

std::vector<at::Tensor> copiedEach(const std::vector<at::Tensor>& views) {
  std::vector<at::Tensor> copies;
  for (const at::Tensor& view : views) {
    copies.push_back(copied(view));
  }
  return copies;
}

void addCopiesOfOtherDimensions(DecompositionTable& table) {
  table.add("aten::squeeze_copy", [](const at::Tensor& self) { return copied(self.squeeze()); });
  table.add("aten::squeeze_copy.dim", [](const at::Tensor& self, int64_t dim) { return copied(self.squeeze(dim)); });
  table.add("aten::squeeze_copy.dims",
            [](const at::Tensor& self, at::IntArrayRef dims) { return copied(self.squeeze(dims)); });
  table.add("aten::unsqueeze_copy", [](const at::Tensor& self, int64_t dim) { return copied(self.unsqueeze(dim)); });
  table.add("aten::view_copy", [](const at::Tensor& self, at::IntArrayRef sizes) { return copied(self.view(sizes)); });
  table.add("aten::view_copy.dtype",
            [](const at::Tensor& self, at::ScalarType dtype) { return copied(self.view(dtype)); });
  table.add("aten::unfold_copy", [](const at::Tensor& self, int64_t dim, int64_t size, int64_t step) {
    return copied(self.unfold(dim, size, step));
  });
  table.add("aten::expand_copy", [](const at::Tensor& self, at::IntArrayRef sizes, bool implicit) {
    return copied(self.expand(sizes, implicit));
  });
}

} // namespace

/// Operators that copy what a view shows.
void addViewCopies(DecompositionTable& table) {
  table.add("aten::alias_copy", [](const at::Tensor& self) { return copied(self); });
  table.add("aten::t_copy", [](const at::Tensor& self) { return copied(self.t()); });
  table.add("aten::transpose_copy.int", [](const at::Tensor& self, int64_t first, int64_t second) {
    return copied(self.transpose(first, second));
  });
  table.add("aten::permute_copy",
            [](const at::Tensor& self, at::IntArrayRef dims) { return copied(self.permute(dims)); });
  table.add("aten::diagonal_copy", [](const at::Tensor& self, int64_t offset, int64_t first, int64_t second) {
    return copied(at::diagonal(self, offset, first, second));
  });
  table.add("aten::narrow_copy", [](const at::Tensor& self, int64_t dim, int64_t start, int64_t length) {
    return copied(at::narrow(self, dim, start, length));
  });
  table.add("aten::unbind_copy.int",
            [](const at::Tensor& self, int64_t dim) { return copiedEach(at::unbind(self, dim)); });
  table.add("aten::split_with_sizes_copy", [](const at::Tensor& self, at::IntArrayRef sizes, int64_t dim) {
    return copiedEach(at::split_with_sizes(self, sizes, dim));
  });
  addCopiesOfOtherDimensions(table);
}

} // namespace touchstone::decompositions
