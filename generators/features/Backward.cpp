#include "generators/features/Backward.h"

#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace touchstone::features {

namespace {

void addDifferent(std::vector<at::Tensor>& tensors, const at::Tensor& tensor) {
  if (std::none_of(tensors.begin(), tensors.end(), [&](const at::Tensor& each) { return each.is_same(tensor); })) {
    tensors.push_back(tensor);
  }
}

} // namespace

bool isDifferentiable(const at::Tensor& tensor) {
  return tensor.requires_grad() && (tensor.is_floating_point() || tensor.is_complex());
}

Backward runBackward(const evaluator::InputSet& inputs, const values::Value& result) {
  Backward backward;
  for (const values::ValueList* list : {&inputs.arguments, &inputs.watched}) {
    for (const values::Value& value : *list) {
      std::vector<at::Tensor> tensors;
      values::collectTensors(value, tensors);
      for (const at::Tensor& tensor : tensors) {
        if (!isDifferentiable(tensor)) {
          continue;
        }
        if (list == &inputs.arguments) {
          addDifferent(backward.arguments, tensor);
        }
        if (tensor.is_leaf()) {
          addDifferent(backward.leaves, tensor);
        }
      }
    }
  }
  std::vector<at::Tensor> outputs, tangents;
  values::collectTensors(result, outputs);
  try {
    for (const at::Tensor& output : outputs) {
      if (isDifferentiable(output) && output.grad_fn() != nullptr) { // of some views autograd refuses to tell
        addDifferent(backward.roots, output);
      }
    }
  } catch (const std::exception&) {
    backward.roots.clear();
    backward.raises = true;
  }
  if (backward.leaves.empty() || backward.roots.empty()) {
    return backward;
  }
  try {
    for (const at::Tensor& root : backward.roots) {
      tangents.push_back(at::ones_like(root.detach()));
    }
    backward.gradients = torch::autograd::grad(backward.roots, backward.leaves, tangents, /*retain_graph=*/true,
                                               /*create_graph=*/false, /*allow_unused=*/true);
  } catch (const std::exception&) {
    backward.raises = true;
  }
  return backward;
}

} // namespace touchstone::features
