#include "program/control_flow/Joint.h"

#include "program/values/RaiseError.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <utility>

namespace touchstone::control_flow {
namespace {

/// While it lives, autograd works, where an operator has been called below it.
class WithAutograd {
 public:
  WithAutograd()
      : keys_(c10::impl::tls_local_dispatch_key_set().included_,
              c10::impl::tls_local_dispatch_key_set().excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView) {}

 private:
  c10::impl::ForceDispatchKeyGuard keys_;
  c10::AutoGradMode gradients_{true};
};

/// _clone_aliasing_output
TensorList inOwnMemory(TensorList gradients, const TensorList& primals, const TensorList& tangents) {
  TensorList made;
  for (at::Tensor& gradient : gradients) {
    const auto isShared = [&](const at::Tensor& other) { return shareMemory(gradient, other); };
    const bool isTaken = std::ranges::any_of(primals, isShared) || std::ranges::any_of(tangents, isShared) ||
                         std::ranges::any_of(made, isShared);
    made.push_back(isTaken ? gradient.clone() : std::move(gradient));
  }
  return made;
}

} // namespace

TensorList gradientsOf(const TensorFunction& function, const TensorList& primals, const std::vector<bool>& wanted,
                       const TensorList& tangents) {
  const WithAutograd autograd;
  TensorList fresh = apart(primals), inputs, roots;
  for (size_t i = 0; i < primals.size(); ++i) {
    fresh[i] = fresh[i].detach();
    if (wanted[i]) {
      inputs.push_back(fresh[i].requires_grad_(true));
    }
  }
  TensorList results = function(fresh);
  for (at::Tensor& result : results) {
    if (!inputs.empty() && result.is_floating_point()) {
      result.requires_grad_(true); // also what is detached
    }
    if (result.requires_grad()) {
      roots.push_back(result);
    }
  }
  if (roots.size() != tangents.size()) { // in PyTorch only tensors that have gradients may come out
    values::raiseError("AssertionError", "outs_to_grad length ({}) != tangents length ({})", roots.size(),
                       tangents.size());
  }
  TensorList gradients(inputs.size());
  if (!inputs.empty()) {
    gradients = torch::autograd::grad(roots, inputs, tangents, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                                      /*allow_unused=*/true);
  }
  const c10::AutoGradMode over(false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    gradients[i] = gradients[i].defined() ? gradients[i] : at::zeros_like(inputs[i]);
  }
  return inOwnMemory(std::move(gradients), primals, tangents);
}

} // namespace touchstone::control_flow
