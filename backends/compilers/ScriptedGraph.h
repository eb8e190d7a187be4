#pragma once

#include "backends/GraphCompiler.h"

#include <torch/csrc/jit/api/module.h>

#include <optional>

namespace touchstone::compilers {

/// A TorchScript module as compiled code. TorchScript's executor profiles the first run and optimizes for what it has seen;
/// each later run checks whether it still holds.
class ScriptedGraph final : public backends::CompiledGraph {
 public:
  /// `module` as torchScriptModule() or a pass on it left it; `written` is the graph that it was written with. `state`: in
  /// which grad and inference mode and state of autocast it runs; nothing: without gradients, below autograd, where
  /// TorchScript, which goes by the grad mode alone, would else make results that require grad. `autocast`: TorchScript may write casts into it, see
  /// JitAutocastScope.
  ScriptedGraph(torch::jit::Module module, std::shared_ptr<torch::jit::Graph> written,
                std::optional<ir::CallState> state, bool autocast = true);

  /// What TorchScript raises says `RuntimeError` whatever was raised inside; the message is that of the operator.
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override;

  /// How many nodes the written graph has and the optimized one has not, and the other way, by operator: what passes on the
  /// module have changed, and from the second run on what the executor has.
  int64_t changedNodes() const;
  /// The graph that the executor runs now: the module's before it has optimized it. What it prints as may throw.
  std::shared_ptr<torch::jit::Graph> optimized() const;

 private:
  torch::jit::Module module_;
  torch::jit::Method forward_;
  std::shared_ptr<torch::jit::Graph> written_;
  std::optional<ir::CallState> state_;
  bool autocast_;
};

/// The nodes of one graph that the other has not, and the other way, counted by operator; those inside blocks and fused
/// groups count, constants, tuples and the executor's own checks do not.
int64_t differingNodes(const torch::jit::Graph& left, const torch::jit::Graph& right);

} // namespace touchstone::compilers
