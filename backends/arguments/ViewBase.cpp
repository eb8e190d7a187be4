#include "backends/arguments/ViewBase.h"

#include <torch/csrc/autograd/VariableTypeUtils.h>

namespace touchstone::arguments {

const at::Tensor* differentiableBase(const at::Tensor& tensor) {
  const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
  return view != nullptr && view->has_bw_view() ? &view->get_backward_view().base_ : nullptr;
}

bool isStaleView(const at::Tensor& tensor) {
  return differentiableBase(tensor) != nullptr &&
         torch::autograd::impl::get_view_autograd_meta(tensor)->get_attr_version() !=
             static_cast<uint32_t>(tensor._version());
}

void makeStaleView(const at::Tensor& tensor, values::NodePtr node) {
  if (node) {
    at::Tensor made = tensor;
    torch::autograd::create_gradient_edge(made, std::move(node));
  }
  auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
  view->set_attr_version(static_cast<uint32_t>(tensor._version()) - 1); // no later write makes it current
}

ViewHistoryScope::ViewHistoryScope(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.is_inference() && differentiableBase(tensor) != nullptr) {
      const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
      views_.push_back({tensor, view->grad_fn_, view->get_attr_version()});
    }
  }
}

ViewHistoryScope::~ViewHistoryScope() {
  for (View& each : views_) {
    auto* view = torch::autograd::impl::get_view_autograd_meta(each.tensor);
    view->grad_fn_ = std::move(each.node);
    view->set_attr_version(each.version);
  }
}

const torch::autograd::ViewFunc* viewFunction(const at::Tensor& tensor) {
  if (differentiableBase(tensor) == nullptr) {
    return nullptr;
  }
  const auto& info = torch::autograd::impl::get_view_autograd_meta(tensor)->get_backward_view();
  return info.has_view_fn() ? &info.view_fn() : nullptr;
}

bool hasOthersLikeIt(const at::Tensor& tensor) {
  const at::Tensor* base = differentiableBase(tensor);
  const bool hasHistory = base != nullptr && (base->requires_grad() || tensor.requires_grad());
  return viewFunction(tensor) == nullptr && !(hasHistory && isStaleView(tensor));
}

std::vector<int64_t> numbersOfViewFunction(const at::Tensor& tensor) {
  std::vector<int64_t> numbers;
  if (const torch::autograd::ViewFunc* function = viewFunction(tensor)) {
    for (const c10::SymInt& number : function->get_symints()) {
      numbers.push_back(number.expect_int());
    }
  }
  return numbers;
}

at::Tensor viewLike(const at::Tensor& like, const at::Tensor& base, const at::Tensor& tensor,
                    torch::autograd::CreationMeta creation, const std::vector<int64_t>* numbers) {
  std::unique_ptr<torch::autograd::ViewFunc> makeAgain;
  std::function<at::Tensor(const at::Tensor&)> undo;
  if (const torch::autograd::ViewFunc* function = viewFunction(like)) {
    makeAgain = numbers == nullptr
                    ? function->clone_and_set()
                    : function->clone_and_set(std::vector<c10::SymInt>(numbers->begin(), numbers->end()));
    undo = torch::autograd::impl::get_view_autograd_meta(like)->get_backward_view().rev_view_fn();
  }
  return torch::autograd::as_view(base, tensor, true, true, std::move(makeAgain), std::move(undo), creation);
}

} // namespace touchstone::arguments
