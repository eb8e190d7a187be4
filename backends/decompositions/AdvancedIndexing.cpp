#include "backends/decompositions/AdvancedIndexing.h"

#include <ATen/ops/arange.h>

namespace touchstone::decompositions {

IndexList indicesFrom(int64_t dim, const std::vector<at::Tensor>& indices) {
  IndexList list;
  for (int64_t before = 0; before < dim; ++before) {
    list.push_back(std::nullopt);
  }
  for (const at::Tensor& index : indices) {
    list.push_back(index);
  }
  return list;
}

at::Tensor counting(int64_t count, const at::Tensor& like) {
  return at::arange(count, at::TensorOptions(like.device()).dtype(at::kLong));
}

at::Tensor alongDimension(const at::Tensor& vector, int64_t dim, int64_t dimensions) {
  std::vector<int64_t> sizes(static_cast<size_t>(dimensions), 1);
  sizes[static_cast<size_t>(dim)] = vector.numel();
  return vector.reshape(sizes);
}

at::Tensor atLeastVector(const at::Tensor& tensor) {
  return tensor.dim() == 0 ? tensor.reshape({1}) : tensor;
}

} // namespace touchstone::decompositions
