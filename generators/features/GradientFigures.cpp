#include "generators/features/GradientFigures.h"

#include "generators/features/AutogradCycles.h"
#include "generators/features/Backward.h"
#include "generators/features/EvaluationState.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace touchstone::features {

namespace {

using torch::autograd::Node;
using values::Value;

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
  const Backward backward = runBackward(inputs, result);
  figures.twoOfOneShape = haveTwoOfOneShape(backward.arguments);
  if (backward.leaves.empty()) {
    return figures;
  }
  for (const at::Tensor& root : backward.roots) {
    figures.path = std::max(figures.path, longestPath(root.grad_fn().get()));
  }
  figures.leaves =
      static_cast<int>(std::count_if(backward.gradients.begin(), backward.gradients.end(), [](const at::Tensor& each) {
        return each.defined() && each.numel() > 0 && each.ne(0).any().item<bool>();
      }));
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
