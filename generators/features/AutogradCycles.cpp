#include "generators/features/AutogradCycles.h"

#include "program/values/AutogradNodes.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <exception>
#include <set>

namespace touchstone::features {

namespace {

void addNode(const at::Tensor& tensor, std::vector<values::NodePtr>& nodes) {
  try {
    if (tensor.is_view()) {
      addNode(at::Tensor(tensor._base()), nodes);
    }
    if (const values::NodePtr node = tensor.grad_fn()) {
      nodes.push_back(node);
      if (!tensor.is_view()) { // a leaf among the node's inputs may be a view of this very tensor
        torch::autograd::impl::set_gradient_edge(tensor, torch::autograd::Edge());
      }
    }
  } catch (const std::exception&) { // a view whose node cannot be made anew after a write: that of its base is enough
  }
}

} // namespace

evaluator::OperationHook AutogradCycles::hook() {
  return [this](const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    op.callBoxed(stack);
    for (const c10::IValue& value : stack) {
      remember(value);
    }
    return true;
  };
}

// Those that need no gradient, too: a view of one may be written to with what does.
void AutogradCycles::remember(const c10::IValue& value) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      returned_.emplace_back(value.toTensor().getIntrusivePtr());
    }
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      remember(item);
    }
  }
}

void AutogradCycles::release() {
  std::vector<values::NodePtr> nodes;
  for (const auto& each : returned_) {
    if (c10::intrusive_ptr<c10::TensorImpl> alive = each.lock()) {
      addNode(at::Tensor(std::move(alive)), nodes);
    }
  }
  returned_.clear();
  std::set<const torch::autograd::Node*> seen;
  for (size_t i = 0; i < nodes.size(); ++i) { // grows while it is walked
    const values::NodePtr node = nodes[i];
    if (!seen.insert(node.get()).second) {
      continue;
    }
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      if (edge.function) {
        nodes.push_back(edge.function);
      }
    }
    node->release_variables();
  }
}

} // namespace touchstone::features
