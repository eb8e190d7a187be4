// Compilers that look at Graphs, run them by TorchScript, or keep them.

#include "api/aot/Pipeline.h"
#include "backends/compilers/TorchScriptCompilers.h"
#include "backends/debugging/DebugInterpreter.h"
#include "backends/debugging/DrawnGraphFile.h"
#include "backends/graph_files/GraphDumper.h"
#include "backends/graph_files/GraphFolder.h"
#include "backends/native/AotModule.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/GeneratorState.h"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <touchstone/compilers.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace touchstone::aot {

namespace {

/// A compiler of the pipeline's own, as the API has them.
Compiler compilerOf(backends::GraphCompiler compiler) {
  return [compiler = std::move(compiler)](const ir::Graph& graph, const Tensors& examples) -> GraphFunction {
    return [compiled = compiler(graph, examples)](Tensors inputs) { return compiled->run(std::move(inputs)); };
  };
}

void printOut(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

/// With what the examples tell where nothing is known of a placeholder.
ir::Graph completed(ir::Graph graph, const Tensors& examples) {
  std::string device = "cpu"; // the examples' is meta
  for (const ir::NodeId id : graph.placeholders()) {
    device = graph.node(id).metadata ? graph.node(id).metadata->device : device;
  }
  for (size_t i = 0; i < std::min(examples.size(), graph.placeholders().size()); ++i) {
    std::optional<ir::TensorMetadata>& metadata = graph.node(graph.placeholders()[i]).metadata;
    if (!metadata && examples[i].defined()) {
      metadata = runtime::metadataOf(examples[i]);
      metadata->device = device;
    }
  }
  return graph;
}

/// Runs what was written of a Graph, on inputs like those that were written. Returns how to do so again, or why that cannot be.
std::string rerun(const graph_files::GraphFolder& written, const ir::Graph& graph) {
  const std::string folder = written.path().string();
  for (const ir::NodeId id : graph.placeholders()) {
    const ir::Node& input = graph.node(id);
    if (!input.metadata) {
      return "This Graph is written to " + folder + ", but cannot be run again: nothing is known of the input `" +
             input.name + "`, neither by its node's metadata nor by an example\n";
    }
  }
  const c10::AutoGradMode noGradients(false);
  const values::GeneratorStateScope restored;
  interpret(written.graph(ir::kForwardStage))(
      graph_files::inputsLike(written.path() / ir::kForwardStage / "inputs.json"));
  return "This Graph can be run again:\n  touchstone run " + folder + "\n  python " + folder +
         "/forward/graph.py\n  touchstone reduce " + folder + "\n";
}

} // namespace

Compiler nop() {
  return [](const ir::Graph& graph, const Tensors&) { return interpret(graph); };
}

Compiler printCompile(std::function<void(const std::string& code)> print) {
  return [print = print ? std::move(print) : printOut](const ir::Graph& graph, const Tensors&) {
    print(codeOf(graph));
    return interpret(graph);
  };
}

Compiler debugNop() {
  return compilerOf(debugging::debugNop());
}

class DebugInterpreterScope::Implementation {
  const debugging::DebugInterpreterScope scope_;
};

DebugInterpreterScope::DebugInterpreterScope() : implementation_(std::make_unique<Implementation>()) {}
DebugInterpreterScope::~DebugInterpreterScope() = default;

Compiler drawGraphCompile(const std::filesystem::path& name, const DrawOptions& options) {
  return [name, options](const ir::Graph& graph, const Tensors&) {
    if (options.print) {
      printOut(codeOf(graph));
    }
    debugging::drawGraphInto(name, graph, !options.clearMeta);
    return interpret(graph);
  };
}

Compiler tsCompile() {
  return compilerOf(compilers::torchScriptCompiler(compilers::tsCompile()));
}

Compiler simpleTsCompile() {
  return compilerOf(compilers::torchScriptCompiler(compilers::simpleTsCompile()));
}

CompiledFunction nncJit(Function function) {
  return aotFunction(std::move(function), {.forwardCompiler = simpleTsCompile()});
}

Options fusionOptions() {
  Options options;
  options.forwardCompiler = tsCompile();
  options.partition = Partition::kMinCut;
  options.decompositions = Decompositions::defaults();
  return options;
}

CompiledFunction memoryEfficientFusion(Function function, const Options& options) {
  return aotFunction(std::move(function), options);
}

CompiledFunction memoryEfficientFusion(std::shared_ptr<torch::nn::Module> module, Function forward,
                                       const Options& options) {
  return aotModule(std::move(module), std::move(forward), options);
}

Compiler debugCompile(const std::filesystem::path& parent, const std::string& name) {
  return [parent, name, compile = tsCompile()](const ir::Graph& graph, const Tensors& examples) {
    const graph_files::GraphFolder folder = graph_files::GraphFolder::make(parent, name, "ts_compile");
    try {
      const ir::Graph written = completed(graph, examples);
      folder.addPart(ir::kForwardStage, written, {.primals = {}, .examples = examples});
      printOut(rerun(folder, written));
    } catch (const ir::Unsupported& unsupported) {
      printOut(std::string("This Graph cannot be written to a file: ") + unsupported.what() + "\n");
    }
    return compile(graph, examples);
  };
}

Compiler graphDumperAot(const std::string& name, const std::filesystem::path& parent, bool dumpExampleInput) {
  const auto dumper = std::make_shared<graph_files::GraphDumper>(
      graph_files::GraphDumpOptions{parent, name, "graph_dumper_aot", dumpExampleInput});
  return [dumper](const ir::Graph& graph, const Tensors& examples) -> GraphFunction {
    Options options;
    options.decompositions = Decompositions::defaults();
    aot_autograd::AotOptions stages = pipelineOptions(options);
    stages.observers = {dumper};
    const size_t before = dumper->refused().size();
    const auto compiled = native::aotModuleSimplified(graph, examples, {.stages = std::move(stages)});
    const auto refused = dumper->refused();
    for (size_t i = before; i < refused.size(); ++i) {
      TORCH_WARN("graphDumperAot does not write the Graph `", refused[i].first, "`: ", refused[i].second);
    }
    return [compiled](Tensors inputs) { return compiled->run(std::move(inputs)); };
  };
}

JointInputs getJointInputs(const std::filesystem::path& inputsFile) {
  graph_files::JointInputs parts = graph_files::jointInputsLike(inputsFile);
  return {std::move(parts.primals), std::move(parts.tangents)};
}

Tensors getInputs(const std::filesystem::path& inputsFile) {
  return graph_files::inputsLike(inputsFile);
}

ir::Graph getGraph(const std::filesystem::path& folder, const std::string& part) {
  return graph_files::GraphFolder::open(folder).graph(part);
}

} // namespace touchstone::aot
