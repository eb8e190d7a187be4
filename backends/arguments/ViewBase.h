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

/// No view, or one that strides tell and that is as new as its base, or has no history: tensors of other sizes can be like it.
bool hasOthersLikeIt(const at::Tensor& tensor);

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

/// How autograd makes a view again that strides cannot tell from its base (a real part, another dtype); null: by strides.
const torch::autograd::ViewFunc* viewFunction(const at::Tensor& tensor);
/// The sizes, strides and offsets in that function; nothing where there is none.
std::vector<int64_t> numbersOfViewFunction(const at::Tensor& tensor);

/// `tensor` as a differentiable view of `base`. Where `like`, a view as well, has a viewFunction(), so has this one: with
/// `numbers`, null: with those of `like`.
at::Tensor viewLike(const at::Tensor& like, const at::Tensor& base, const at::Tensor& tensor,
                    torch::autograd::CreationMeta creation, const std::vector<int64_t>* numbers = nullptr);

} // namespace touchstone::arguments
