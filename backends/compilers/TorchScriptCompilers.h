#pragma once

#include "backends/aot_autograd/AotOptions.h"
#include "backends/compilers/ScriptedGraph.h"

namespace touchstone::compilers {

/// What is done with the TorchScript module of a Graph before it runs.
struct TorchScriptOptions {
  bool recordedState =
      false; // runs in the modes in which its nodes were recorded; else, below autograd, without gradients
  bool forInference = false; // takes no Graph that gradients flow through
  bool canonicalizes = false; // see canonicalizeForTorchScript()
  bool withoutAutocast =
      false; // compiled and run in a JitAutocastScope: casts are in the Graph already, or autocast makes them
  bool removesMutation = false; // in-place operators become functional ones where nobody can tell
  bool freezes = false; // torch::jit::freeze: attributes become constants, what is computed from them alone is computed
  bool optimizesForInference = false; // torch::jit::optimize_for_inference
  bool runsOnce = false; // on the examples, where these have values
};

/// The `ts` debugging backend (torch/_dynamo/backends/debugging.py, torchscript): the Graph is scripted, autograd on.
TorchScriptOptions scriptAlone();
/// torch/_functorch/compilers.py, simple_ts_compile: scripted and frozen.
TorchScriptOptions simpleTsCompile();
/// torch/_functorch/compilers.py, ts_compile: canonicalized, scripted, mutation removed, frozen, optimized for inference, and
/// run once.
TorchScriptOptions tsCompile();
/// `options` for a Graph above autograd, as capture gives it: without gradients, in the grad mode that it was captured in.
TorchScriptOptions forCapturedGraphs(TorchScriptOptions options);

/// Makes TorchScript of a Graph, all of whose nodes were called in one grad and inference mode. Throws ir::Unsupported, see torchScriptModule().
std::shared_ptr<const ScriptedGraph> compileToTorchScript(ir::Graph graph, const std::vector<at::Tensor>& examples,
                                                          const TorchScriptOptions& options);
/// The same as a compiler. TorchScript moves operators past switches of the grad mode, and knows neither regions of autocast
/// nor what is no operator: a Graph with several of these becomes a module for each region, see scriptRegionsOf() and
/// SplitModule. Between the modules custom autograd functions, hooks and `torch.autograd.grad` run node by node.
backends::GraphCompiler torchScriptCompiler(TorchScriptOptions options);

/// `options` with forward and backward compiled by TorchScript: `aot_ts` with tsCompile(), `nnc_jit` with
/// simpleTsCompile().
aot_autograd::AotOptions withTorchScript(aot_autograd::AotOptions options, const TorchScriptOptions& script);

} // namespace touchstone::compilers
