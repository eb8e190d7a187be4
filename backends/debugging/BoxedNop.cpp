#include "backends/debugging/BoxedNop.h"

#include "backends/debugging/DebugInterpreter.h"
#include "graph/program/Interpreter.h"

#include <utility>

namespace touchstone::backends {

namespace {

class BoxedGraph final : public CompiledGraph {
 public:
  BoxedGraph(graph::Graph graph, std::shared_ptr<graph::CallMode> mode)
      : interpreter_(std::move(graph), graph::NodeState::kCallers), mode_(std::move(mode)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    return mode_ == nullptr ? interpreter_.runFlat(std::move(inputs)) : interpreter_.runFlat(std::move(inputs), *mode_);
  }

 private:
  graph::Interpreter interpreter_;
  std::shared_ptr<graph::CallMode> mode_;
};

std::shared_ptr<graph::CallMode> modeOf(BoxedNopOptions options) {
  if (!options.checksMetadata) {
    return std::move(options.mode);
  }
  auto check = std::make_shared<DebugInterpreter>();
  if (options.mode == nullptr) {
    return check;
  }
  return std::make_shared<graph::CallModeStack>(
      std::vector<std::shared_ptr<graph::CallMode>>{std::move(options.mode), std::move(check)});
}

} // namespace

GraphCompiler boxedNop(BoxedNopOptions options) {
  return [mode = modeOf(std::move(options))](graph::Graph graph, const std::vector<at::Tensor>&) {
    return std::make_shared<const BoxedGraph>(std::move(graph), mode);
  };
}

GraphCompiler boxedNopWithMode(std::shared_ptr<graph::CallMode> mode) {
  return boxedNop({.mode = std::move(mode)});
}

} // namespace touchstone::backends
