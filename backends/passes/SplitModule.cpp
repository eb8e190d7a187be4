#include "backends/passes/SplitModule.h"

#include "backends/arguments/ArgumentCopies.h"
#include "graph/ir/Arguments.h"
#include "graph/runtime/AutocastStateScope.h"
#include "graph/runtime/GraphCallable.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/CompiledProgram.h"
#include "program/values/GeneratorState.h"

namespace touchstone::passes {

namespace {

/// In which its first call was recorded.
ir::CallState stateOf(const ir::GraphPart& part) {
  for (const ir::Node& node : part.graph.nodes()) {
    if (node.kind == ir::NodeKind::kOperator || node.kind == ir::NodeKind::kCallable) {
      return node.state;
    }
  }
  return {};
}

bool isHandle(const ir::Graph& graph, const ir::Node& node) {
  return node.kind == ir::NodeKind::kCallable &&
         static_cast<const runtime::CallableCall*>(graph.callables().at(static_cast<size_t>(node.callable)).get())
             ->isHook;
}

} // namespace

SplitModule::SplitModule(ir::Graph graph, const std::function<int(const ir::Node& node)>& partitionOf,
                         const backends::GraphCompiler& compiler, const std::vector<at::Tensor>& examples)
    : SplitModule(std::move(graph), partitionOf) {
  const values::GeneratorStateScope generator;
  std::vector<at::Tensor> copies;
  for (const values::Value& copy : arguments::copyArguments(values::ValueList(examples.begin(), examples.end()))) {
    copies.push_back(copy.tensor());
  }
  std::vector<at::Tensor> values = start(std::move(copies));
  for (const ir::GraphPart& part : parts_) {
    const std::vector<at::Tensor> arguments = argumentsOf(part, values);
    compiled_.push_back(compiler(part.graph, arguments));
    const runtime::AutocastStateScope autocast(stateOf(part));
    keep(part, runtime::Interpreter(part.graph).runFlat(arguments), values);
  }
}

SplitModule::SplitModule(ir::Graph graph, const std::function<int(const ir::Node& node)>& partitionOf,
                         const std::function<std::shared_ptr<const backends::CompiledGraph>(ir::Graph part)>& compiler)
    : SplitModule(std::move(graph), partitionOf) {
  for (const ir::GraphPart& part : parts_) {
    for (ir::NodeId input : part.inputs) {
      if (isHandle(whole_, whole_.node(input))) {
        throwNoTensor(input);
      }
    }
    compiled_.push_back(compiler(part.graph));
  }
}

SplitModule::SplitModule(ir::Graph graph, const std::function<int(const ir::Node& node)>& partitionOf)
    : whole_(std::move(graph)), parts_(ir::splitGraph(whole_, partitionOf)) {}

void SplitModule::throwNoTensor(ir::NodeId node) const {
  throw ir::Unsupported("`" + whole_.node(node).name + "` goes from part to part and is no tensor");
}

std::vector<at::Tensor> SplitModule::start(std::vector<at::Tensor> inputs) const {
  std::vector<at::Tensor> values(whole_.nodes().size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    values[static_cast<size_t>(whole_.placeholders().at(i))] = std::move(inputs[i]);
  }
  return values;
}

std::vector<at::Tensor> SplitModule::argumentsOf(const ir::GraphPart& part,
                                                 const std::vector<at::Tensor>& values) const {
  std::vector<at::Tensor> arguments;
  for (ir::NodeId input : part.inputs) {
    const at::Tensor& value = values[static_cast<size_t>(input)];
    if (!value.defined()) {
      throwNoTensor(input);
    }
    arguments.push_back(value);
  }
  return arguments;
}

void SplitModule::keep(const ir::GraphPart& part, std::vector<at::Tensor> results,
                       std::vector<at::Tensor>& values) const {
  for (size_t i = 0; i < results.size(); ++i) {
    values[static_cast<size_t>(part.outputs[i])] = std::move(results[i]);
  }
}

std::vector<at::Tensor> SplitModule::run(std::vector<at::Tensor> inputs) const {
  std::vector<at::Tensor> values = start(std::move(inputs));
  for (size_t i = 0; i < parts_.size(); ++i) {
    keep(parts_[i], compiled_[i]->run(argumentsOf(parts_[i], values)), values);
  }
  std::vector<at::Tensor> outputs;
  for (const ir::NodeId output : ir::outputNodes(whole_)) {
    outputs.push_back(output >= 0 ? values[static_cast<size_t>(output)] : at::Tensor());
  }
  return outputs;
}

std::vector<backends::Assumption> SplitModule::assumptions() const {
  return std::vector<backends::Assumption>(whole_.placeholders().size(), backends::Assumption::kMemory);
}

} // namespace touchstone::passes
