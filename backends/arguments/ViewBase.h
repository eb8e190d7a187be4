#pragma once

#include "program/values/AutogradNodes.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/variable.h>

#include <vector>

namespace touchstone::arguments {

/// The tensor that autograd takes this one for a view of, itself no view; null: it is none. Asks nothing of grad_fn.
const at::Tensor* differentiableBase(const at::Tensor& tensor);

/// A view that is older than the last write to its base: autograd takes its history from the base, or refuses to, when the
/// view is next used.
bool isStaleView(const at::Tensor& tensor);
/// Makes it one, with the grad_fn that autograd is to replace, or without.
void makeStaleView(const at::Tensor& tensor, values::NodePtr node);

/// Puts back at its end what autograd knows of those of the tensors that are views: once their version has changed it gives them
/// another history when it is asked, or none.
class ViewHistoryScope {
 public:
  explicit ViewHistoryScope(const std::vector<at::Tensor>& tensors);
  ~ViewHistoryScope();
  ViewHistoryScope(const ViewHistoryScope&) = delete;
  ViewHistoryScope& operator=(const ViewHistoryScope&) = delete;

 private:
  struct View {
    at::Tensor tensor;
    values::NodePtr node;
    uint32_t version;
  };
  std::vector<View> views_;
};

/// `tensor` as a differentiable view of `base`. Where `like`, a view as well, cannot be told by strides from its base (a
/// real part, another dtype), autograd makes this one in the same way when it needs it again.
at::Tensor viewLike(const at::Tensor& like, const at::Tensor& base, const at::Tensor& tensor,
                    torch::autograd::CreationMeta creation);

} // namespace touchstone::arguments
