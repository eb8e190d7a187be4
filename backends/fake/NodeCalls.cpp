#include "backends/fake/NodeCalls.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>

#include <optional>
#include <string>
#include <utility>

namespace touchstone::fake {

namespace {

using torch::autograd::variable_list;

bool isSparseGradient(const at::Tensor& gradient) {
  return gradient.is_sparse() || gradient.is_sparse_csr();
}

bool isCountedOnce(const at::Tensor& gradient) {
  return gradient.use_count() == 1 && gradient.has_storage() && gradient.storage().use_count() == 1;
}

} // namespace

void addGradient(at::Tensor& sum, at::Tensor gradient, const IsHeldAlone& isHeldAlone) {
  if (!gradient.defined()) {
    return;
  }
  if (!sum.defined()) {
    sum = std::move(gradient);
    return;
  }
  const bool isSwapped = isSparseGradient(sum);
  if (isSwapped) {
    std::swap(sum, gradient); // ATen adds sparse to dense, not dense to sparse
  }
  const bool takesSum = !c10::GradMode::is_enabled() && sum.layout() == at::kStrided && !sum._is_zerotensor() &&
                        !sum.is_nested() && sum.is_non_overlapping_and_dense() &&
                        (isSwapped || !isSparseGradient(gradient) || sum.is_contiguous()) &&
                        (isHeldAlone ? isHeldAlone(sum) : isCountedOnce(sum));
  sum = takesSum ? sum.add_(gradient) : at::add(sum, gradient);
}

variable_list callTensorHooks(torch::autograd::Node& node, variable_list gradients) {
  for (const auto& hook : node.tensor_pre_hooks()) {
    gradients = (*hook)(gradients);
  }
  for (const auto& [index, hook] : node.retains_grad_hooks()) {
    gradients = (*hook)(gradients);
  }
  return gradients;
}

static auto sayingWhatReturned(torch::autograd::Node& node) {
  return [&node](const std::string& message) { return "Function " + node.name() + " returned an " + message; };
}

void checkResults(torch::autograd::Node& node, variable_list& results) {
  torch::autograd::validate_outputs(node.next_edges(), results, sayingWhatReturned(node));
}

void checkResults(torch::autograd::Node& node, variable_list& results,
                  const std::vector<std::vector<int64_t>>& shapes) {
  std::vector<std::optional<torch::autograd::InputMetadata>> expected =
      torch::autograd::collect_input_metadata(node.next_edges());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i]) {
      torch::autograd::SymIntSmallVec shape(shapes.at(i).begin(), shapes.at(i).end());
      expected[i].emplace(expected[i]->options(), torch::autograd::MetadataShape(std::move(shape)),
                          expected[i]->is_tensor_subclass(), /*is_nested=*/false, expected[i]->grad_dtype());
    }
  }
  torch::autograd::validate_outputs(expected, results, sayingWhatReturned(node));
}

variable_list callNode(torch::autograd::Node& node, variable_list gradients, bool keepGraph, ApplyNode apply) {
  return callBehindPreHooks(node, callPreHooks(node, std::move(gradients)), keepGraph, apply);
}

variable_list callPreHooks(torch::autograd::Node& node, variable_list gradients) {
  for (const auto& hook : node.pre_hooks()) {
    gradients = (*hook)(gradients);
  }
  return gradients;
}

variable_list callBehindPreHooks(torch::autograd::Node& node, variable_list gradients, bool keepGraph,
                                 ApplyNode apply) {
  if (!keepGraph) {
    node.will_release_variables();
  }
  // AccumulateGrad counts references to decide whether it may keep a gradient: one, and one more with hooks after it.
  const bool hasPostHooks = !node.post_hooks().empty();
  const variable_list given = hasPostHooks ? gradients : variable_list();
  variable_list results = apply != nullptr ? apply(node, std::move(gradients)) : node(std::move(gradients));
  checkResults(node, results);
  return callPostHooks(node, std::move(results), given);
}

variable_list callPostHooks(torch::autograd::Node& node, variable_list results, const variable_list& given) {
  for (const auto& hook : node.post_hooks()) {
    results = (*hook)(results, given);
  }
  return results;
}

} // namespace touchstone::fake
