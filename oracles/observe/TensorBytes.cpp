#include "oracles/observe/TensorBytes.h"

#include "program/values/RaisedException.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/to_dense.h>

#include <c10/core/MemoryFormat.h>
#include <c10/util/SmallVector.h>

#include <cstring>

namespace touchstone::observe {
namespace {

// A tensor with one of these stands for another one; its own memory, if it has any, says nothing.
constexpr c10::DispatchKeySet kWrapperKeys({c10::DispatchKey::Python, c10::DispatchKey::Functionalize,
                                            c10::DispatchKey::FuncTorchBatched, c10::DispatchKey::FuncTorchGradWrapper,
                                            c10::DispatchKey::Fake});

bool isWrapper(const at::Tensor& tensor) {
  return !(tensor.key_set() & kWrapperKeys).empty();
}

/// Calls `visit(byteOffset, packedOffset, bytes)` for each run of elements that lie side by side, in index order.
template <class Visit>
void visitRuns(const at::Tensor& tensor, Visit visit) {
  const auto itemsize = static_cast<int64_t>(tensor.itemsize());
  if (tensor.is_contiguous()) {
    visit(int64_t{0}, int64_t{0}, tensor.numel() * itemsize);
    return;
  }
  struct Dimension {
    int64_t size, stride, index;
  };
  c10::SmallVector<Dimension, 8> outer;
  int64_t run = itemsize;
  bool inRun = true;
  for (int64_t d = tensor.dim() - 1; d >= 0; --d) {
    const int64_t size = tensor.size(d);
    const int64_t stride = tensor.stride(d) * itemsize;
    if (size == 1) {
      continue;
    }
    inRun = inRun && stride == run;
    if (inRun) {
      run *= size;
    } else {
      outer.push_back({size, stride, 0});
    }
  }
  int64_t offset = 0;
  for (int64_t packed = 0, total = tensor.numel() * itemsize; packed < total; packed += run) {
    visit(offset, packed, run);
    for (Dimension& dimension : outer) { // innermost first
      offset += dimension.stride;
      if (++dimension.index < dimension.size) {
        break;
      }
      offset -= dimension.stride * dimension.size;
      dimension.index = 0;
    }
  }
}

/// A shallow copy of its own version counter, known to autograd as nothing, over the same memory.
at::Tensor plainAlias(const at::Tensor& tensor) {
  return at::Tensor(tensor.variable_data());
}

} // namespace

bool hasBytes(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.is_cpu() && tensor.has_storage() && !tensor.is_quantized() &&
         !tensor._is_zerotensor() && !isWrapper(tensor);
}

bool bytesAreValues(const at::Tensor& tensor) {
  return hasBytes(tensor) && !tensor.is_conj() && !tensor.is_neg();
}

int64_t elementBytes(const at::Tensor& tensor) {
  return tensor.numel() * static_cast<int64_t>(tensor.itemsize());
}

ByteRange byteRange(const at::Tensor& tensor) {
  const auto itemsize = static_cast<int64_t>(tensor.itemsize());
  const int64_t first = tensor.storage_offset() * itemsize;
  if (tensor.numel() == 0) {
    return {first, first};
  }
  int64_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    last += (tensor.size(d) - 1) * tensor.stride(d);
  }
  return {first, first + (last + 1) * itemsize};
}

void packElements(const at::Tensor& tensor, char* packed) {
  const char* data = static_cast<const char*>(tensor.const_data_ptr());
  visitRuns(tensor, [&](int64_t offset, int64_t position, int64_t bytes) {
    std::memcpy(packed + position, data + offset, static_cast<size_t>(bytes));
  });
}

void unpackElements(const char* packed, const at::Tensor& tensor) {
  char* data = static_cast<char*>(tensor.mutable_data_ptr());
  visitRuns(tensor, [&](int64_t offset, int64_t position, int64_t bytes) {
    std::memcpy(data + offset, packed + position, static_cast<size_t>(bytes));
  });
}

void fillElements(const at::Tensor& tensor, unsigned char byte) {
  char* data = static_cast<char*>(tensor.mutable_data_ptr());
  visitRuns(tensor, [&](int64_t offset, int64_t, int64_t bytes) {
    std::memset(data + offset, byte, static_cast<size_t>(bytes));
  });
}

bool equalsPacked(const at::Tensor& tensor, const char* packed, std::vector<char>& scratch) {
  const auto bytes = static_cast<size_t>(elementBytes(tensor));
  if (tensor.is_contiguous()) {
    return bytes == 0 || std::memcmp(tensor.const_data_ptr(), packed, bytes) == 0;
  }
  if (scratch.size() < bytes) {
    scratch.resize(bytes);
  }
  packElements(tensor, scratch.data());
  return std::memcmp(scratch.data(), packed, bytes) == 0;
}

at::Tensor copyOfValues(const at::Tensor& tensor) {
  if (bytesAreValues(tensor)) {
    at::Tensor copy(at::detail::empty_cpu(tensor.sizes(), tensor.scalar_type()));
    if (tensor.numel() > 0) {
      packElements(tensor, static_cast<char*>(copy.mutable_data_ptr()));
    }
    return copy;
  }
  if (isWrapper(tensor)) {
    throw values::RaisedException("TypeError",
                                  "The tensor is a wrapper (of Python, of functionalization or a fake); it "
                                  "has no values of its own.");
  }
  at::AutoDispatchBelowADInplaceOrView guard;
  at::Tensor plain = plainAlias(tensor);
  if (plain.layout() != at::kStrided) {
    plain = plain.to_dense();
  }
  const at::Tensor copy = plain.resolve_conj().resolve_neg().clone(at::MemoryFormat::Contiguous);
  return copy.is_meta() ? copy : copy.cpu();
}

} // namespace touchstone::observe
