#include "backends/compiled_autograd/Segment.h"

namespace touchstone::compiled_autograd {

TensorState TensorState::of(const at::Tensor& tensor) {
  TensorState state;
  state.isDefined = tensor.defined();
  if (state.isDefined) {
    state.dispatchKeys = tensor.key_set().raw_repr();
    state.dtype = tensor.scalar_type();
    state.device = tensor.device();
    state.sizes = tensor.sizes().vec();
    if (tensor.layout() == at::kStrided) {
      state.strides = tensor.strides().vec();
      state.offset = tensor.storage_offset();
    }
  }
  return state;
}

bool TensorState::fits(const at::Tensor& tensor) const {
  if (!tensor.defined() || !isDefined) {
    return tensor.defined() == isDefined;
  }
  return tensor.key_set().raw_repr() == dispatchKeys && tensor.scalar_type() == dtype && tensor.device() == device &&
         tensor.sizes() == at::IntArrayRef(sizes) &&
         (tensor.layout() != at::kStrided ||
          (tensor.strides() == at::IntArrayRef(strides) && tensor.storage_offset() == offset));
}

} // namespace touchstone::compiled_autograd
