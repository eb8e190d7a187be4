#include "backends/arguments/Leaf.h"

#include <torch/csrc/autograd/variable.h>

namespace touchstone::arguments {

bool isLeafNow(const at::Tensor& tensor) {
  if (!tensor.is_leaf()) {
    return false;
  }
  const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
  return view == nullptr || !view->has_bw_view() || view->requires_grad_ ||
         !view->get_backward_view().base_.requires_grad();
}

} // namespace touchstone::arguments
