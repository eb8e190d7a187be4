#pragma once

#include "backends/decompositions/DecompositionTable.h"
#include "graph/ir/StageArtifacts.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>

#include <set>
#include <string>
#include <utility>

namespace touchstone::tests {

/// The operators of the functional joint Graph.
class FunctionalOperators final : public backends::PipelineObserver {
 public:
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (stage != "functional") {
      return;
    }
    for (const ir::Node& node : artifacts.graph(stage)->nodes()) {
      targets.insert(node.target);
    }
  }
  std::set<std::string> targets;
};

/// What the decomposition of an operator gives for real tensors.
inline torch::jit::Stack resultsByTable(const std::string& target, torch::jit::Stack stack) {
  decompositions::allDecompositions()->call(target, stack);
  return stack;
}

/// The same dtype and sizes, and nearly the same values.
inline bool agree(const at::Tensor& left, const at::Tensor& right) {
  return left.scalar_type() == right.scalar_type() && left.sizes() == right.sizes() &&
         at::allclose(left, right, 1e-5, 1e-7, true);
}

} // namespace touchstone::tests
