#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::ir {

/// Number of elements.
int64_t elementCount(const TensorMetadata& tensor);

/// Elements of memory from the tensor's first to its last; 0 when it has none.
int64_t spanOf(const TensorMetadata& tensor);

/// Dimensions from the outermost to the innermost in memory: by stride, then by size, both falling.
std::vector<size_t> memoryOrder(const TensorMetadata& tensor);

/// Strides of contiguous memory; a size of zero counts as one.
std::vector<int64_t> contiguousStrides(const std::vector<int64_t>& sizes);

/// True when the elements fill a block of memory without gaps or overlaps, in any order of the dimensions.
bool isDense(const TensorMetadata& tensor);

/// True when two elements may share memory. Exact for what views without as_strided make; a few layouts of as_strided that
/// interleave without meeting are called overlapping.
bool mayOverlap(const TensorMetadata& tensor);

/// Equal sizes and equal strides, those of dimensions of size one included.
bool sameLayout(const TensorMetadata& left, const TensorMetadata& right);

/// Equal sizes, and equal strides where a dimension has more than one element.
bool sameSignificantLayout(const TensorMetadata& left, const TensorMetadata& right);

} // namespace touchstone::ir
