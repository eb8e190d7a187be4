#include "backends/compilers/TorchScriptCompilers.h"

#include "backends/arguments/ArgumentCopies.h"
#include "backends/compilers/Canonicalization.h"
#include "backends/compilers/JitAutocastScope.h"
#include "backends/compilers/TorchScriptModule.h"
#include "graph/ir/Unsupported.h"
#include "graph/program/GeneratorState.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/passes/remove_mutation.h>

#include <algorithm>
#include <utility>

namespace touchstone::backends {

namespace {

/// The grad and inference mode of all nodes.
graph::CallState commonState(const graph::Graph& graph) {
  std::optional<graph::CallState> common;
  for (const graph::Node& node : graph.nodes()) {
    if (node.kind != graph::NodeKind::kOperator) {
      continue;
    }
    if (common && !(*common == node.state)) {
      throw graph::Unsupported("TorchScript: a region of no_grad, inference_mode or autocast inside the Graph");
    }
    common = node.state;
  }
  return common.value_or(graph::CallState{});
}

bool anyRequiresGrad(const std::vector<at::Tensor>& examples) {
  return std::any_of(examples.begin(), examples.end(),
                     [](const at::Tensor& example) { return example.defined() && example.requires_grad(); });
}

bool haveValues(const std::vector<at::Tensor>& examples) {
  return std::all_of(examples.begin(), examples.end(),
                     [](const at::Tensor& example) { return example.defined() && !example.is_meta(); });
}

/// On copies: nobody sees the run. What it raises for these values the call will raise.
void warmUp(const ScriptedGraph& compiled, const std::vector<at::Tensor>& examples) {
  std::vector<at::Tensor> copies;
  for (const graph::Value& copy : copyArguments(graph::ValueList(examples.begin(), examples.end()))) {
    copies.push_back(copy.tensor());
  }
  const graph::GeneratorStateScope generators;
  try {
    compiled.run(std::move(copies));
  } catch (const std::exception&) { // see above
  }
}

void removeMutation(torch::jit::Module& module) {
  const auto graph = module.get_method("forward").graph();
  torch::jit::RemoveListMutation(graph);
  torch::jit::RemoveTensorMutation(graph);
}

} // namespace

TorchScriptOptions scriptAlone() {
  return {.recordedState = true};
}

TorchScriptOptions simpleTsCompile() {
  return {.freezes = true};
}

TorchScriptOptions tsCompile() {
  return {.canonicalizes = true,
          .withoutAutocast = true,
          .removesMutation = true,
          .freezes = true,
          .optimizesForInference = true,
          .runsOnce = true};
}

TorchScriptOptions forCapturedGraphs(TorchScriptOptions options) {
  options.recordedState = options.forInference = true;
  return options;
}

std::shared_ptr<const ScriptedGraph> compileToTorchScript(graph::Graph graph, const std::vector<at::Tensor>& examples,
                                                          const TorchScriptOptions& options) {
  std::optional<graph::CallState> state;
  if (options.recordedState) {
    state = commonState(graph);
  }
  if (options.forInference && (!state || state->gradEnabled) && anyRequiresGrad(examples)) {
    throw graph::Unsupported("TorchScript: a frozen Graph is for inference, and gradients flow through this one");
  }
  std::optional<JitAutocastScope> withoutAutocast;
  if (options.withoutAutocast) {
    withoutAutocast.emplace();
  }
  if (options.canonicalizes) {
    canonicalizeForTorchScript(graph);
  }
  torch::jit::Module module = torchScriptModule(graph);
  const auto written = module.get_method("forward").graph()->copy();
  if (options.removesMutation) {
    removeMutation(module);
  }
  module.eval();
  if (options.freezes) {
    module = torch::jit::freeze(module);
  }
  if (options.optimizesForInference) {
    module = torch::jit::optimize_for_inference(module);
  }
  auto compiled = std::make_shared<const ScriptedGraph>(std::move(module), written, std::move(state));
  if (options.runsOnce && haveValues(examples)) {
    warmUp(*compiled, examples);
  }
  return compiled;
}

GraphCompiler torchScriptCompiler(TorchScriptOptions options) {
  return [options](graph::Graph graph, const std::vector<at::Tensor>& examples) {
    return compileToTorchScript(std::move(graph), examples, options);
  };
}

AotOptions withTorchScript(AotOptions options, const TorchScriptOptions& script) {
  options.forwardCompiler = options.backwardCompiler = torchScriptCompiler(script);
  return options;
}

} // namespace touchstone::backends
