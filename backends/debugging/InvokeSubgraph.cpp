#include "backends/debugging/InvokeSubgraph.h"

#include "backends/aot_autograd/AotCompiler.h"
#include "backends/debugging/CallTrace.h"
#include "graph/runtime/GraphCallable.h"
#include "graph/runtime/Interpreter.h"

#include <utility>

namespace touchstone::debugging {

namespace {

/// What a node `invoke_subgraph` runs.
struct Invocation {
  std::shared_ptr<const runtime::Interpreter> interpreter;
  values::Value operator()(const values::ValueList& arguments) const {
    std::vector<at::Tensor> inputs;
    for (const values::Value& argument : arguments) {
      inputs.push_back(argument.isTensor() ? argument.tensor() : at::Tensor());
    }
    values::ValueList results;
    for (at::Tensor& output : interpreter->runFlat(std::move(inputs))) {
      results.push_back(output.defined() ? values::Value(std::move(output)) : values::Value());
    }
    return values::Value::tuple(std::move(results));
  }
};

} // namespace

std::shared_ptr<const backends::CompiledGraph> compileToInvocation(ir::Graph graph, const std::vector<at::Tensor>&) {
  const auto interpreter = std::make_shared<const runtime::Interpreter>(std::move(graph), runtime::NodeState::kCallers);
  return backends::graphOf([interpreter](std::vector<at::Tensor> inputs) {
    CallTrace* trace = CallTrace::current();
    if (trace == nullptr) {
      return interpreter->runFlat(std::move(inputs));
    }
    runtime::CallableCall call;
    call.name = "invoke_subgraph";
    call.run = Invocation{interpreter};
    return trace->callWhole(call, inputs);
  });
}

backends::GraphCompiler invokeSubgraphCompiler(aot_autograd::AotOptions options) {
  options.forwardCompiler = compileToInvocation;
  options.backwardCompiler = compileToInvocation;
  return aot_autograd::aotCompiler(std::move(options));
}

const ir::Graph* invokedSubgraph(const ir::Graph& graph, const ir::Node& node) {
  if (node.kind != ir::NodeKind::kCallable) {
    return nullptr;
  }
  const auto& call =
      *static_cast<const runtime::CallableCall*>(graph.callables().at(static_cast<size_t>(node.callable)).get());
  const auto* invocation = call.run.target<Invocation>();
  return invocation == nullptr ? nullptr : &invocation->interpreter->graph();
}

} // namespace touchstone::debugging
