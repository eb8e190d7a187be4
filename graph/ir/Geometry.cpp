#include "graph/ir/Geometry.h"

#include <algorithm>
#include <numeric>

namespace touchstone::ir {

int64_t elementCount(const TensorMetadata& tensor) {
  return std::accumulate(tensor.sizes.begin(), tensor.sizes.end(), int64_t{1}, std::multiplies<>());
}

int64_t spanOf(const TensorMetadata& tensor) {
  if (elementCount(tensor) == 0) {
    return 0;
  }
  int64_t span = 1;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    span += (tensor.sizes[i] - 1) * tensor.strides[i];
  }
  return span;
}

std::vector<size_t> memoryOrder(const TensorMetadata& tensor) {
  std::vector<size_t> order(tensor.sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
    return tensor.strides[left] > tensor.strides[right] ||
           (tensor.strides[left] == tensor.strides[right] && tensor.sizes[left] > tensor.sizes[right]);
  });
  return order;
}

std::vector<int64_t> contiguousStrides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

bool isDense(const TensorMetadata& tensor) {
  const std::vector<size_t> order = memoryOrder(tensor);
  int64_t expected = 1;
  for (auto dimension = order.rbegin(); dimension != order.rend(); ++dimension) {
    if (tensor.sizes[*dimension] == 1) {
      continue;
    }
    if (tensor.strides[*dimension] != expected) {
      return false;
    }
    expected *= tensor.sizes[*dimension];
  }
  return true;
}

bool mayOverlap(const TensorMetadata& tensor) {
  if (elementCount(tensor) == 0) {
    return false;
  }
  const std::vector<size_t> order = memoryOrder(tensor);
  int64_t reach = 1; // elements from the first to one past the last of the dimensions within
  for (auto dimension = order.rbegin(); dimension != order.rend(); ++dimension) {
    if (tensor.sizes[*dimension] == 1) {
      continue;
    }
    if (tensor.strides[*dimension] < reach) {
      return true;
    }
    reach += tensor.strides[*dimension] * (tensor.sizes[*dimension] - 1);
  }
  return false;
}

bool sameLayout(const TensorMetadata& left, const TensorMetadata& right) {
  return left.sizes == right.sizes && left.strides == right.strides;
}

bool sameSignificantLayout(const TensorMetadata& left, const TensorMetadata& right) {
  if (left.sizes != right.sizes) {
    return false;
  }
  for (size_t i = 0; i < left.sizes.size(); ++i) {
    if (left.sizes[i] > 1 && left.strides[i] != right.strides[i]) {
      return false;
    }
  }
  return true;
}

} // namespace touchstone::ir
