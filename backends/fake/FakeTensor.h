#pragma once

#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace touchstone::fake {

class Tracer;

/// While it lives, the thread is as without modes of Python: for what is done to real tensors beneath.
struct ModeUnseen {
  c10::impl::ExcludeDispatchKeyGuard python{c10::DispatchKey::Python};
};

/// A tensor that stands for a node of the Graph being traced. It has sizes, strides, dtype, device and autograd's state
/// as any tensor has, but no memory: reading its data throws. Operators on it reach the tracer below autograd, through the
/// Fake dispatch key. Backing is a real tensor: with the real value, or on the meta device.
class FakeTensorImpl final : public c10::TensorImpl {
 public:
  /// `device`: the one that the program sees.
  FakeTensorImpl(Tracer& tracer, at::Tensor backing, ir::NodeId node, c10::Device device);

  Tracer& tracer() const { return *tracer_; }
  const at::Tensor& backing() const { return backing_; }
  ir::NodeId node() const { return node_; }
  /// It denotes another node from now on: an operator changed sizes or storage of `backing`.
  void denote(ir::NodeId node);

  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(const c10::VariableVersion& version,
                                                              bool allowMetadataChange) const override;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(c10::VariableVersion&& version,
                                                              bool allowMetadataChange) const override;
  void release_resources() override; // what is beneath goes with the last strong reference
  void shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& other) override;

 private:
  template <class Version>
  c10::intrusive_ptr<c10::TensorImpl> copy(Version&& version, bool allowMetadataChange) const;
  void takeGeometry();

  Tracer* tracer_;
  at::Tensor backing_;
  ir::NodeId node_;
};

/// The implementation when `tensor` is fake; null otherwise.
FakeTensorImpl* fakeOf(const at::Tensor& tensor);

} // namespace touchstone::fake
