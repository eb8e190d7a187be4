#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace touchstone::observe {

/// The elements of strided tensors as bytes, in index order, without the dispatcher: what observing and probing are
/// made of. All functions read and write the elements only, never the gaps between them.

/// True when the elements lie in this process's memory and can be reached through a data pointer.
bool hasBytes(const at::Tensor& tensor);
/// And when they say the values: neither conjugated nor negated lazily.
bool bytesAreValues(const at::Tensor& tensor);

/// The range of bytes within the storage that holds all elements; empty at the offset when there are none. Strided only.
struct ByteRange {
  int64_t first = 0, end = 0;
};
ByteRange byteRange(const at::Tensor& tensor);

int64_t elementBytes(const at::Tensor& tensor); // numel * itemsize

/// Copies the elements into `packed`, which has room for elementBytes().
void packElements(const at::Tensor& tensor, char* packed);
/// Writes them back; where elements share memory the last one stays.
void unpackElements(const char* packed, const at::Tensor& tensor);
/// Sets every byte of every element.
void fillElements(const at::Tensor& tensor, unsigned char byte);
/// True when the elements are the same bytes as `packed`.
bool equalsPacked(const at::Tensor& tensor, const char* packed, std::vector<char>& scratch);

/// A contiguous copy of the values on the CPU, conj and neg resolved, dense; no relation to the tensor is left.
/// Throws what libtorch throws, and RaisedException (TypeError) for a tensor that stands for another one.
at::Tensor copyOfValues(const at::Tensor& tensor);

} // namespace touchstone::observe
