#pragma once

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/aot_autograd/ViewAndMutationMetadata.h"

#include <torch/csrc/autograd/function.h>

#include <unordered_map>
#include <vector>

namespace touchstone::aot_autograd {

/// What a traced program has left: its tensors, numbered, the ends of autograd's graph, and what the runtime has to do.
struct TracePlan {
  /// The number of a fake tensor among inputs and made tensors, as ViewAndMutationMetadata numbers them; -1: none.
  int numberOf(const at::Tensor& fake) const;

  ViewAndMutationMetadata metadata; // but for `hooks`, `memories` and places in them
  std::vector<at::Tensor> made; // fake
  std::unordered_map<const c10::TensorImpl*, int> numbers; // of inputs and made tensors
  torch::autograd::edge_list roots, wanted; // as the metadata has them
  std::vector<torch::autograd::edge_list> leaves; // by node of the metadata: all that its graph leads to
  std::vector<bool> goesOn; // by node of the metadata: its graph leads to more than what is wanted
};

/// Fills in the sinks of inputs, too. Throws ir::Unsupported.
TracePlan planOf(const ir::Graph& recorded, TracedArguments& arguments, const std::vector<at::Tensor>& outputs);

} // namespace touchstone::aot_autograd
