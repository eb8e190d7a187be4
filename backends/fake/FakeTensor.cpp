#include "backends/fake/FakeTensor.h"

#include "backends/fake/Tracer.h"

#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

namespace touchstone::fake {

namespace {

c10::DispatchKeySet fakeKeys(const at::Tensor& backing, c10::Device device) {
  c10::DispatchKeySet keys(
      {c10::computeDispatchKey(backing.scalar_type(), backing.layout(), device), c10::DispatchKey::Fake});
  const c10::BackendComponent backend = keys.highestBackendKey();
  return keys | c10::getAutogradRelatedKeySetFromBackend(backend) | c10::getAutocastRelatedKeySetFromBackend(backend) |
         c10::DispatchKeySet(c10::DispatchKey::ADInplaceOrView);
}

} // namespace

FakeTensorImpl::FakeTensorImpl(Tracer& tracer, at::Tensor backing, ir::NodeId node, c10::Device device)
    : c10::TensorImpl(fakeKeys(backing, device), backing.dtype(), device),
      tracer_(&tracer),
      backing_(std::move(backing)),
      node_(node) {
  set_storage_access_should_throw();
  // Whether it is an inference tensor depends on what is beneath, not on the mode in which it is wrapped: in inference
  // mode a view of a normal tensor is a normal tensor.
  const c10::DispatchKeySet keys = fakeKeys(backing_, device);
  if (backing_.is_inference()) {
    key_set_ = keys - c10::autograd_dispatch_keyset_with_ADInplaceOrView;
  } else {
    key_set_ = keys;
    set_version_counter(c10::VariableVersion(0));
  }
  takeGeometry();
}

void FakeTensorImpl::takeGeometry() {
  if (backing_.layout() != at::kStrided) {
    set_sizes_contiguous(backing_.sizes());
    return;
  }
  set_sizes_and_strides(backing_.sizes(), backing_.strides(), backing_.storage_offset());
  if (at::isComplexType(backing_.scalar_type())) {
    _set_conj(backing_.is_conj());
  }
  _set_neg(backing_.is_neg());
}

void FakeTensorImpl::denote(ir::NodeId node) {
  node_ = node;
  takeGeometry();
}

template <class Version>
c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::copy(Version&& version, bool allowMetadataChange) const {
  // PyTorch's tracer is told of such a copy as of an operator.
  const ir::NodeId node = c10::impl::dispatch_mode_enabled() ? tracer_->addDetached(*this) : node_;
  const ModeUnseen unseen;
  // A handle of its own: `t_()` on one copy must not move the other, which autograd may have saved.
  at::Tensor backing(backing_.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), true));
  auto made = c10::make_intrusive<FakeTensorImpl>(*tracer_, std::move(backing), node, device());
  if (!made->is_inference()) {
    made->set_version_counter(std::forward<Version>(version));
  }
  made->set_allow_tensor_metadata_change(allowMetadataChange);
  return made;
}

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(const c10::VariableVersion& version,
                                                                            bool allowMetadataChange) const {
  return copy(version, allowMetadataChange);
}

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(c10::VariableVersion&& version,
                                                                            bool allowMetadataChange) const {
  return copy(std::move(version), allowMetadataChange);
}

void FakeTensorImpl::release_resources() {
  backing_.reset();
  c10::TensorImpl::release_resources();
}

void FakeTensorImpl::shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& other) {
  auto* source = dynamic_cast<FakeTensorImpl*>(other.get());
  TORCH_CHECK(source != nullptr, "the data of a traced tensor can only be replaced by that of another");
  backing_ = at::Tensor(source->backing_.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), true));
  data_type_ = source->data_type_;
  denote(source->node_);
}

FakeTensorImpl* fakeOf(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.key_set().has(c10::DispatchKey::Fake)) {
    return nullptr;
  }
  return static_cast<FakeTensorImpl*>(tensor.unsafeGetTensorImpl());
}

} // namespace touchstone::fake
