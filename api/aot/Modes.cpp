// Compilers whose Graphs run in a mode of touchstone/modes.h.

#include "backends/debugging/AotDebugging.h"
#include "backends/debugging/BoxedNop.h"
#include "backends/debugging/EagerCompilers.h"
#include "backends/native/AotModule.h"
#include "graph/runtime/StackMode.h"

#include <touchstone/compilers.h>
#include <touchstone/modes.h>

#include <utility>

namespace touchstone::aot {

namespace {

/// Shows the calls of a Graph to a mode.
class ShownToMode final : public runtime::StackMode {
 public:
  ShownToMode(std::shared_ptr<modes::Mode> mode, touchstone_role role) : mode_(std::move(mode)), role_(role) {
    TORCH_CHECK_VALUE(mode_ != nullptr, "a compiler with a mode was given none");
  }

  void onCall(const ir::Node& node, torch::jit::Stack& stack, const std::function<void()>& next) override {
    const modes::CallSite site{.target = node.target,
                               .name = node.name,
                               .line = node.line,
                               .role = role_,
                               .isOperator = node.kind == ir::NodeKind::kOperator};
    modes::Call call(site, stack, next);
    modes::detail::show(*mode_, call);
  }

 private:
  std::shared_ptr<modes::Mode> mode_;
  touchstone_role role_;
};

std::shared_ptr<runtime::CallMode> shownTo(std::shared_ptr<modes::Mode> mode, touchstone_role role) {
  return std::make_shared<ShownToMode>(std::move(mode), role);
}

} // namespace

Compiler eagerWithMode(std::shared_ptr<modes::Mode> mode) {
  return [compile = debugging::eagerWithMode(shownTo(std::move(mode), TOUCHSTONE_CAPTURED))](
             const ir::Graph& graph, const Tensors& examples) -> GraphFunction {
    return [compiled = compile(graph, examples)](Tensors inputs) { return compiled->run(std::move(inputs)); };
  };
}

Compiler boxedNopWithMode(std::shared_ptr<modes::Mode> mode, touchstone_role role) {
  return [compile = debugging::boxedNop(shownTo(std::move(mode), role))](const ir::Graph& graph,
                                                                         const Tensors& examples) -> GraphFunction {
    return [compiled = compile(graph, examples)](Tensors inputs) { return compiled->run(std::move(inputs)); };
  };
}

Compiler aotEagerDecompPartitionWithMode(std::shared_ptr<modes::Mode> mode) {
  aot_autograd::AotOptions stages = debugging::decompPartition();
  stages.forwardCompiler = debugging::boxedNop(shownTo(mode, TOUCHSTONE_FORWARD));
  stages.backwardCompiler = debugging::boxedNop(shownTo(mode, TOUCHSTONE_BACKWARD));
  stages.inferenceCompiler = debugging::boxedNop(shownTo(mode, TOUCHSTONE_INFERENCE));
  return [stages = std::move(stages)](const ir::Graph& graph, const Tensors& examples) -> GraphFunction {
    const auto compiled = native::aotModuleSimplified(graph, examples, {.stages = stages});
    return [compiled](Tensors inputs) { return compiled->run(std::move(inputs)); };
  };
}

} // namespace touchstone::aot
