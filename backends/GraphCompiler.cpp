#include "backends/GraphCompiler.h"

#include "graph/runtime/CallMode.h"
#include "graph/symbols/SymbolicGraph.h"

#include <algorithm>
#include <iterator>
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

/// Runs node by node.
class InterpretedGraph final : public CompiledGraph {
 public:
  InterpretedGraph(ir::Graph graph, runtime::NodeState state, std::shared_ptr<runtime::CallMode> mode)
      : interpreter_(std::move(graph), state), state_(state), mode_(std::move(mode)) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    return mode_ == nullptr ? interpreter_.runFlat(std::move(inputs)) : interpreter_.runFlat(std::move(inputs), *mode_);
  }

  std::shared_ptr<const SymbolicCompiledGraph> forSymbols(const std::vector<GraphSample>& others,
                                                          symbols::Fitting& fitting) const override;

 private:
  class Symbolic;
  runtime::Interpreter interpreter_;
  runtime::NodeState state_;
  std::shared_ptr<runtime::CallMode> mode_;
};

class InterpretedGraph::Symbolic final : public SymbolicCompiledGraph {
 public:
  Symbolic(symbols::SymbolicGraph graph, runtime::NodeState state, std::shared_ptr<runtime::CallMode> mode)
      : graph_(std::move(graph)), state_(state), mode_(std::move(mode)) {}
  std::shared_ptr<const CompiledGraph> at(const symbols::Assignment& assignment) const override {
    return std::make_shared<const InterpretedGraph>(graph_.at(assignment), state_, mode_);
  }
  std::string text() const override { return graph_.text(); }

 private:
  symbols::SymbolicGraph graph_;
  runtime::NodeState state_;
  std::shared_ptr<runtime::CallMode> mode_;
};

std::shared_ptr<const SymbolicCompiledGraph> InterpretedGraph::forSymbols(const std::vector<GraphSample>& others,
                                                                          symbols::Fitting& fitting) const {
  std::vector<const ir::Graph*> graphs{&interpreter_.graph()};
  std::transform(others.begin(), others.end(), std::back_inserter(graphs),
                 [](const GraphSample& sample) { return &sample.graph; });
  return std::make_shared<const Symbolic>(
      symbols::SymbolicGraph(graphs, fitting, runtime::constantTensors(), symbols::Floats::kFitted), state_, mode_);
}

} // namespace

std::shared_ptr<const SymbolicCompiledGraph> CompiledGraph::forSymbols(const std::vector<GraphSample>&,
                                                                       symbols::Fitting&) const {
  throw symbols::NoSymbolicForm("the compiler builds sizes in");
}

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
  return std::make_shared<const InterpretedGraph>(std::move(graph), state, std::move(mode));
}

std::shared_ptr<const CompiledGraph> compileToInterpreter(ir::Graph graph, const std::vector<at::Tensor>&) {
  return interpreted(std::move(graph));
}

} // namespace touchstone::backends
