#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>

namespace touchstone::aot_autograd {

/// While it lives, operators on this thread become those that PyTorch traces for them: kernels and derivatives take the way
/// that they take for tensor subclasses and modes (ATen/TensorSubclassLikeUtils.h), and above autograd operators are replaced
/// as its Python dispatcher replaces them (tracingDecompositions()). A view whose base is written to is that view
/// of the base again, and no as_strided of it.
class TorchTracing {
 public:
  explicit TorchTracing(bool isOn);
  ~TorchTracing();
  TorchTracing(const TorchTracing&) = delete;
  TorchTracing& operator=(const TorchTracing&) = delete;

 private:
  bool replayedViews_ = false;
  std::optional<c10::impl::IncludeDispatchKeyGuard> included_;
};

} // namespace touchstone::aot_autograd
