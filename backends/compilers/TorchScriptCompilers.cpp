#include "backends/compilers/TorchScriptCompilers.h"

#include "backends/arguments/ArgumentCopies.h"
#include "backends/compilers/Canonicalization.h"
#include "backends/compilers/JitAutocastScope.h"
#include "backends/compilers/ScriptRegions.h"
#include "backends/compilers/TorchScriptModule.h"
#include "backends/passes/SplitModule.h"
#include "graph/ir/Unsupported.h"
#include "program/values/GeneratorState.h"
#include "program/values/RaisedException.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/passes/remove_mutation.h>

#include <algorithm>
#include <utility>

namespace touchstone::compilers {

namespace {

/// An input requires grad where gradients are recorded, or the Graph makes a leaf that does.
bool recordsGradients(const ir::Graph& graph, const std::vector<at::Tensor>& examples) {
  const bool anyRequiresGrad = std::any_of(examples.begin(), examples.end(), [](const at::Tensor& example) {
    return example.defined() && example.requires_grad();
  });
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const ir::Node& node) {
    return node.kind == ir::NodeKind::kOperator &&
           ((anyRequiresGrad && node.state.gradEnabled) || node.target == "aten::requires_grad_");
  });
}

bool haveValues(const std::vector<at::Tensor>& examples) {
  return std::all_of(examples.begin(), examples.end(),
                     [](const at::Tensor& example) { return example.defined() && !example.is_meta(); });
}

/// On copies: nobody sees the run. What it raises for these values the call will raise.
void warmUp(const ScriptedGraph& compiled, const std::vector<at::Tensor>& examples) {
  std::vector<at::Tensor> copies;
  for (const values::Value& copy : arguments::copyArguments(values::ValueList(examples.begin(), examples.end()))) {
    copies.push_back(copy.tensor());
  }
  const values::GeneratorStateScope generators;
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

/// What a pass raises is raised before anything compiled has run.
void applyPasses(torch::jit::Module& module, const TorchScriptOptions& options) {
  try {
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
  } catch (const std::exception&) {
    values::RaisedException raised = values::currentException();
    raised.phase = "compile";
    throw raised;
  }
}

} // namespace

TorchScriptOptions scriptAlone() {
  return {.recordedState = true};
}

TorchScriptOptions simpleTsCompile() {
  return {.withoutAutocast = true, .freezes = true};
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

std::shared_ptr<const ScriptedGraph> compileToTorchScript(ir::Graph graph, const std::vector<at::Tensor>& examples,
                                                          const TorchScriptOptions& options) {
  std::optional<ir::CallState> state;
  if (options.recordedState) {
    state = firstCallState(graph);
  }
  if (options.forInference && recordsGradients(graph, examples)) {
    throw ir::Unsupported("TorchScript: a frozen Graph is for inference, and gradients flow through this one");
  }
  std::optional<JitAutocastScope> withoutAutocast;
  if (options.withoutAutocast) { // freezing writes casts, too
    withoutAutocast.emplace();
  }
  if (options.canonicalizes) {
    canonicalizeForTorchScript(graph);
  }
  torch::jit::Module module = torchScriptModule(graph);
  const auto written = module.get_method("forward").graph()->copy();
  applyPasses(module, options);
  auto compiled =
      std::make_shared<const ScriptedGraph>(std::move(module), written, std::move(state), !options.withoutAutocast);
  if (options.runsOnce && haveValues(examples)) {
    warmUp(*compiled, examples);
  }
  return compiled;
}

backends::GraphCompiler torchScriptCompiler(TorchScriptOptions options) {
  return [options](ir::Graph graph,
                   const std::vector<at::Tensor>& examples) -> std::shared_ptr<const backends::CompiledGraph> {
    const auto compileOne =
        [&](ir::Graph part, const std::vector<at::Tensor>& inputs) -> std::shared_ptr<const backends::CompiledGraph> {
      if (options.recordedState && callsNoOperators(part)) {
        return runInRecordedState(std::move(part));
      }
      return compileToTorchScript(std::move(part), inputs, options);
    };
    if (options.recordedState) {
      noteAutocast(graph);
    }
    const auto regions = options.recordedState ? scriptRegionsOf(graph) : std::map<std::string, int>();
    if (!hasScriptRegions(regions)) {
      return compileOne(std::move(graph), examples);
    }
    const auto regionOf = [&](const ir::Node& node) { return regions.at(node.name); };
    if (!options.forInference && !options.runsOnce) { // needs no examples
      return std::make_shared<const passes::SplitModule>(
          std::move(graph), regionOf, [&](ir::Graph part) { return compileOne(std::move(part), {}); });
    }
    return std::make_shared<const passes::SplitModule>(std::move(graph), regionOf, compileOne, examples);
  };
}

aot_autograd::AotOptions withTorchScript(aot_autograd::AotOptions options, const TorchScriptOptions& script) {
  options.forwardCompiler = options.backwardCompiler = torchScriptCompiler(script);
  return options;
}

} // namespace touchstone::compilers
