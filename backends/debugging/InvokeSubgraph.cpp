#include "backends/debugging/InvokeSubgraph.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/CallTrace.h"
#include "graph/runtime/GraphCallable.h"
#include "graph/runtime/Interpreter.h"

#include <utility>

namespace touchstone::backends {

namespace {

/// What a node `invoke_subgraph` runs.
struct Invocation {
  std::shared_ptr<const graph::Interpreter> interpreter;
  graph::Value operator()(const graph::ValueList& arguments) const {
    std::vector<at::Tensor> inputs;
    for (const graph::Value& argument : arguments) {
      inputs.push_back(argument.isTensor() ? argument.tensor() : at::Tensor());
    }
    graph::ValueList results;
    for (at::Tensor& output : interpreter->runFlat(std::move(inputs))) {
      results.push_back(output.defined() ? graph::Value(std::move(output)) : graph::Value());
    }
    return graph::Value::tuple(std::move(results));
  }
};

class InvokedGraph final : public CompiledGraph {
 public:
  explicit InvokedGraph(graph::Graph graph)
      : interpreter_(std::make_shared<const graph::Interpreter>(std::move(graph), graph::NodeState::kCallers)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    CallTrace* trace = CallTrace::current();
    if (trace == nullptr) {
      return interpreter_->runFlat(std::move(inputs));
    }
    graph::CallableCall call;
    call.name = "invoke_subgraph";
    call.run = Invocation{interpreter_};
    return trace->callWhole(call, inputs);
  }

 private:
  std::shared_ptr<const graph::Interpreter> interpreter_;
};

} // namespace

std::shared_ptr<const CompiledGraph> compileToInvocation(graph::Graph graph, const std::vector<at::Tensor>&) {
  return std::make_shared<const InvokedGraph>(std::move(graph));
}

GraphCompiler invokeSubgraphCompiler(AotOptions options) {
  options.forwardCompiler = compileToInvocation;
  options.backwardCompiler = compileToInvocation;
  return aotCompiler(std::move(options));
}

const graph::Graph* invokedSubgraph(const graph::Graph& graph, const graph::Node& node) {
  if (node.kind != graph::NodeKind::kCallable) {
    return nullptr;
  }
  const auto& call =
      *static_cast<const graph::CallableCall*>(graph.callables().at(static_cast<size_t>(node.callable)).get());
  const auto* invocation = call.run.target<Invocation>();
  return invocation == nullptr ? nullptr : &invocation->interpreter->graph();
}

} // namespace touchstone::backends
