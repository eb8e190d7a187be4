#include "generators/decoder/GradientFacts.h"

#include "generators/features/Backward.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace touchstone::decoder {

using values::Value;

GradientFacts gradientFacts(const evaluator::InputSet& inputs, const Value& result) {
  GradientFacts facts;
  std::vector<at::Tensor> leaves, roots, outputs;
  const auto addLeaf = [&](const Value& value) {
    if (value.isTensor() && value.tensor().requires_grad() && value.tensor().is_leaf() &&
        std::none_of(leaves.begin(), leaves.end(),
                     [&](const at::Tensor& leaf) { return leaf.is_same(value.tensor()); })) {
      leaves.push_back(value.tensor());
    }
  };
  std::for_each(inputs.arguments.begin(), inputs.arguments.end(), addLeaf);
  std::for_each(inputs.watched.begin(), inputs.watched.end(), addLeaf);
  facts.leaves = static_cast<int>(leaves.size());
  if (leaves.empty()) {
    return facts;
  }
  values::collectTensors(result, outputs);
  for (size_t index = 0; index < outputs.size(); ++index) {
    if (features::isDifferentiable(outputs[index])) {
      facts.roots.push_back({.isArgument = false, .index = static_cast<int>(index)});
      facts.rootIsScalar.push_back(outputs[index].dim() == 0);
      roots.push_back(outputs[index]);
    }
  }
  for (size_t index = 0; index < inputs.arguments.size(); ++index) {
    const Value& argument = inputs.arguments[index];
    if (argument.isTensor() && features::isDifferentiable(argument.tensor()) && !argument.tensor().is_leaf() &&
        argument.tensor()._version() > 0) {
      facts.roots.push_back({.isArgument = true, .index = static_cast<int>(index)});
      facts.rootIsScalar.push_back(false);
      roots.push_back(argument.tensor());
    }
  }
  if (roots.empty()) {
    return facts;
  }
  std::vector<at::Tensor> tangents;
  for (const at::Tensor& root : roots) {
    tangents.push_back(at::ones_like(root.detach()));
  }
  try {
    torch::autograd::grad(roots, leaves, tangents, /*retain_graph=*/false, /*create_graph=*/false,
                          /*allow_unused=*/true);
  } catch (const std::exception&) {
    facts.backwardRaises = true;
  }
  return facts;
}

} // namespace touchstone::decoder
