#include "backends/decompositions/AdvancedIndexing.h"
#include "backends/decompositions/Families.h"

#include <ATen/ops/add.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/zeros.h>

namespace touchstone::decompositions {
namespace {

/// Blocks of a kernel's size that slide over an image, by dimension.
struct SlidingBlocks {
  at::IntArrayRef kernel;
  at::IntArrayRef dilation;
  at::IntArrayRef padding;
  at::IntArrayRef stride;

  int64_t count(size_t dim, int64_t size) const {
    return (size + 2 * padding[dim] - dilation[dim] * (kernel[dim] - 1) - 1) / stride[dim] + 1;
  }
  /// Where they read the padded image: by element of the kernel, then by block.
  at::Tensor positions(size_t dim, int64_t size, const at::Tensor& like) const {
    const at::Tensor offsets = counting(kernel[dim], like).mul(dilation[dim]).unsqueeze(-1);
    return at::add(offsets, counting(count(dim, size), like).mul(stride[dim]));
  }
  std::vector<at::Tensor> indices(at::IntArrayRef image, const at::Tensor& like) const {
    return {positions(0, image[0], like).unsqueeze(-1).unsqueeze(-1), positions(1, image[1], like)};
  }
  void check() const {
    TORCH_CHECK(kernel.size() == 2 && dilation.size() == 2 && padding.size() == 2 && stride.size() == 2,
                "blocks have two dimensions");
  }
};

/// Rows of the kernel, rows of blocks, columns of the kernel, columns of blocks: as columns, one a block, and back.
at::Tensor asColumns(const at::Tensor& blocks) {
  const at::Tensor ordered = blocks.transpose(-3, -2);
  return ordered.reshape(
      {blocks.size(0), blocks.size(1) * blocks.size(2) * blocks.size(4), blocks.size(3) * blocks.size(5)});
}

at::Tensor columnsOf(const at::Tensor& self, at::IntArrayRef kernel, at::IntArrayRef dilation, at::IntArrayRef padding,
                     at::IntArrayRef stride) {
  const SlidingBlocks blocks{kernel, dilation, padding, stride};
  blocks.check();
  const bool isBatch = self.dim() == 4;
  const at::Tensor images = isBatch ? self : self.unsqueeze(0);
  const std::vector<int64_t> border = {padding[1], padding[1], padding[0], padding[0]};
  const at::Tensor read =
      at::index(at::constant_pad_nd(images, border, 0), indicesFrom(2, blocks.indices(images.sizes().slice(2), self)));
  const at::Tensor columns = asColumns(read);
  return isBatch ? columns : columns.squeeze(0);
}

at::Tensor imageOf(const at::Tensor& self, at::IntArrayRef image, at::IntArrayRef kernel, at::IntArrayRef dilation,
                   at::IntArrayRef padding, at::IntArrayRef stride) {
  const SlidingBlocks blocks{kernel, dilation, padding, stride};
  blocks.check();
  const bool isBatch = self.dim() == 3;
  const at::Tensor columns = isBatch ? self : self.unsqueeze(0);
  const int64_t channels = columns.size(1) / (kernel[0] * kernel[1]);
  const at::Tensor split = columns.reshape(
      {columns.size(0), channels, kernel[0], kernel[1], blocks.count(0, image[0]), blocks.count(1, image[1])});
  const at::Tensor canvas =
      at::zeros({columns.size(0), channels, image[0] + 2 * padding[0], image[1] + 2 * padding[1]}, self.options());
  const at::Tensor added =
      at::index_put(canvas, indicesFrom(2, blocks.indices(image, self)), split.transpose(-3, -2), true);
  const at::Tensor result =
      added.narrow(2, padding[0], image[0]).narrow(3, padding[1], image[1]).clone(at::MemoryFormat::Contiguous);
  return isBatch ? result : result.squeeze(0);
}

} // namespace

void addSlidingBlocks(DecompositionTable& table) {
  table.add("aten::im2col", columnsOf);
  table.add("aten::col2im", imageOf);
}

} // namespace touchstone::decompositions
