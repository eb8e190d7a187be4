#include "generators/features/GradientFigures.h"

#include "generators/features/AutogradCycles.h"
#include "generators/features/EvaluationState.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace touchstone::features {

namespace {

using torch::autograd::Node;
using values::Value;

bool isDifferentiable(const at::Tensor& tensor) {
  return tensor.requires_grad() && (tensor.is_floating_point() || tensor.is_complex());
}

void addDifferent(std::vector<at::Tensor>& tensors, const at::Tensor& tensor) {
  if (std::none_of(tensors.begin(), tensors.end(), [&](const at::Tensor& each) { return each.is_same(tensor); })) {
    tensors.push_back(tensor);
  }
}

/// Nodes on the longest way from `root`, but for those that put a gradient into a leaf. Without recursion: graphs may be deep.
int longestPath(Node* root) {
  std::unordered_map<Node*, int> lengths; // -1: begun
  std::vector<Node*> open{root};
  while (!open.empty()) {
    Node* node = open.back();
    const auto [known, isNew] = lengths.try_emplace(node, -1);
    if (!isNew && known->second >= 0) {
      open.pop_back();
      continue;
    }
    int longest = 0;
    bool waits = false;
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      Node* next = edge.function.get();
      if (next == nullptr) {
        continue;
      }
      const auto found = lengths.find(next);
      if (found == lengths.end()) {
        open.push_back(next);
        waits = true;
      } else {
        longest = std::max(longest, found->second);
      }
    }
    if (!waits) {
      const bool isLeaf = dynamic_cast<torch::autograd::AccumulateGrad*>(node) != nullptr;
      lengths[node] = longest + (isLeaf ? 0 : 1);
      open.pop_back();
    }
  }
  return lengths[root];
}

bool haveTwoOfOneShape(const std::vector<at::Tensor>& tensors) {
  for (size_t left = 0; left < tensors.size(); ++left) {
    for (size_t right = left + 1; right < tensors.size(); ++right) {
      if (tensors[left].sizes() == tensors[right].sizes() &&
          tensors[left].scalar_type() == tensors[right].scalar_type()) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

GradientFigures gradientFigures(const evaluator::InputSet& inputs, const Value& result) {
  GradientFigures figures;
  std::vector<at::Tensor> arguments, leaves, outputs, roots, tangents;
  for (const values::ValueList* list : {&inputs.arguments, &inputs.watched}) {
    for (const Value& value : *list) {
      std::vector<at::Tensor> tensors;
      values::collectTensors(value, tensors);
      for (const at::Tensor& tensor : tensors) {
        if (!isDifferentiable(tensor)) {
          continue;
        }
        if (list == &inputs.arguments) {
          addDifferent(arguments, tensor);
        }
        if (tensor.is_leaf()) {
          addDifferent(leaves, tensor);
        }
      }
    }
  }
  figures.twoOfOneShape = haveTwoOfOneShape(arguments);
  values::collectTensors(result, outputs);
  try {
    for (const at::Tensor& output : outputs) {
      if (isDifferentiable(output) && output.grad_fn() != nullptr) { // of some views autograd refuses to tell
        addDifferent(roots, output);
      }
    }
    if (leaves.empty() || roots.empty()) {
      return figures;
    }
    for (const at::Tensor& root : roots) {
      figures.path = std::max(figures.path, longestPath(root.grad_fn().get()));
      tangents.push_back(at::ones_like(root.detach()));
    }
    const std::vector<at::Tensor> gradients =
        torch::autograd::grad(roots, leaves, tangents, /*retain_graph=*/true, /*create_graph=*/false,
                              /*allow_unused=*/true);
    figures.leaves = static_cast<int>(std::count_if(gradients.begin(), gradients.end(), [](const at::Tensor& each) {
      return each.defined() && each.numel() > 0 && each.ne(0).any().item<bool>();
    }));
  } catch (const std::exception&) {
    figures.raises = true;
  }
  return figures;
}

GradientFigures gradientFigures(const language::Case& theCase) {
  const auto call = std::find_if(theCase.calls.begin(), theCase.calls.end(), [](const language::CallSpec& each) {
    return each.backward.has_value() && each.inputs.has_value();
  });
  if (call == theCase.calls.end()) {
    return {};
  }
  const EvaluationState restored;
  AutogradCycles cycles; // outlives the values
  evaluator::EvaluatorOptions watched;
  watched.onOperation = cycles.hook();
  try {
    evaluator::Evaluator evaluator(theCase, watched);
    evaluator::InputSet inputs = evaluator.makeInputs(*call->inputs, call->seed, call->kind);
    const Value result = evaluator.call("program", inputs.arguments);
    return gradientFigures(inputs, result);
  } catch (const std::exception&) {
    return {};
  }
}

} // namespace touchstone::features
