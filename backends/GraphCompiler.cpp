#include "backends/GraphCompiler.h"

#include "graph/runtime/CallMode.h"

#include <utility>

namespace touchstone::backends {

namespace {

using Run = std::function<std::vector<at::Tensor>(std::vector<at::Tensor>)>;

class FunctionGraph final : public CompiledGraph {
 public:
  explicit FunctionGraph(Run run) : run_(std::move(run)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override { return run_(std::move(inputs)); }

 private:
  Run run_;
};

} // namespace

std::vector<at::Tensor> metaExamples(const ir::Graph& graph) {
  std::vector<at::Tensor> examples;
  for (const ir::NodeId placeholder : graph.placeholders()) {
    const auto& metadata = graph.node(placeholder).metadata;
    examples.push_back(metadata ? runtime::metaTensor(*metadata) : at::Tensor());
  }
  return examples;
}

std::shared_ptr<const CompiledGraph> graphOf(Run run) {
  return std::make_shared<const FunctionGraph>(std::move(run));
}

std::shared_ptr<const CompiledGraph> interpreted(ir::Graph graph, runtime::NodeState state,
                                                 std::shared_ptr<runtime::CallMode> mode) {
  const auto interpreter = std::make_shared<const runtime::Interpreter>(std::move(graph), state);
  return graphOf([interpreter, mode = std::move(mode)](std::vector<at::Tensor> inputs) {
    return mode == nullptr ? interpreter->runFlat(std::move(inputs)) : interpreter->runFlat(std::move(inputs), *mode);
  });
}

std::shared_ptr<const CompiledGraph> compileToInterpreter(ir::Graph graph, const std::vector<at::Tensor>&) {
  return interpreted(std::move(graph));
}

} // namespace touchstone::backends
