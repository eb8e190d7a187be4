#include "backends/aot_autograd/CompiledBackward.h"

#include "graph/ir/Geometry.h"
#include "graph/program/Interpreter.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>
#include <torch/csrc/autograd/functions/basic_ops.h>

namespace touchstone::backends {

namespace {

/// The backward Graph was traced for one layout of each tangent.
at::Tensor inLayout(const at::Tensor& tangent, const graph::TensorMetadata& layout) {
  const bool plain = !tangent.is_conj() && !tangent.is_neg() && tangent.layout() == at::kStrided;
  if (plain && graph::sameSignificantLayout(graph::metadataOf(tangent), layout)) {
    return tangent;
  }
  at::Tensor coerced = at::empty_strided(layout.sizes, layout.strides, tangent.options().layout(at::kStrided));
  coerced.copy_(tangent);
  return coerced;
}

} // namespace

void CompiledBackward::save(const std::vector<at::Tensor>& saved) {
  for (const at::Tensor& tensor : saved) {
    saved_.emplace_back(tensor, /*is_output=*/false);
  }
}

void CompiledBackward::release_variables() {
  for (torch::autograd::SavedVariable& variable : saved_) {
    variable.reset_data();
  }
}

torch::autograd::variable_list CompiledBackward::apply(torch::autograd::variable_list&& tangents) {
  std::vector<bool> hasTangent;
  for (const at::Tensor& tangent : tangents) {
    hasTangent.push_back(tangent.defined());
  }
  torch::autograd::variable_list gradients(num_outputs());
  if (std::find(hasTangent.begin(), hasTangent.end(), true) == hasTangent.end()) {
    return gradients;
  }
  const CompiledBackwardGraph& compiled = frame_->backwardFor(hasTangent);
  std::vector<at::Tensor> results;
  {
    std::vector<at::Tensor> inputs;
    for (size_t position : compiled.saved) {
      inputs.push_back(saved_[position].unpack(getptr()));
    }
    at::AutoDispatchBelowAutograd below;
    c10::impl::ExcludeDispatchKeyGuard noAutocast(c10::autocast_dispatch_keyset);
    for (size_t root : compiled.tangents) {
      inputs.push_back(inLayout(tangents[root], frame_->plan().tangents[root]));
    }
    tangents.clear();
    results = compiled.graph->runFlat(std::move(inputs));
  }
  std::shared_ptr<void> error;
  for (size_t i = 0; i < results.size(); ++i) {
    if (compiled.gives[i]) {
      gradients[i] = results[i];
    }
  }
  if (c10::GradMode::is_enabled()) { // create_graph
    auto refusal = c10::make_intrusive<torch::autograd::Error>(
        "torch.compile with aot_autograd does not currently support double backward");
    for (at::Tensor& gradient : gradients) {
      if (gradient.defined()) {
        gradient = gradient.detach();
        torch::autograd::create_gradient_edge(gradient, refusal);
      }
    }
  }
  return gradients;
}

} // namespace touchstone::backends
