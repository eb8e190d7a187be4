#include <touchstone/front_end.h>

#include "api/aot/Pipeline.h"
#include "backends/aot_autograd/JointTrace.h"
#include "backends/capture/ExportedCallable.h"
#include "backends/capture/SymbolicTrace.h"
#include "backends/passes/SplitModule.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"

#include <mutex>

namespace touchstone::aot {

struct CompileCounter::Count {
  Compiler compiler;
  std::mutex mutex;
  std::vector<ir::Graph> graphs;
};

CompileCounter::CompileCounter(Compiler compiler) : count_(std::make_shared<Count>()) {
  count_->compiler = std::move(compiler);
}

GraphFunction CompileCounter::operator()(const ir::Graph& graph, const Tensors& examples) const {
  {
    const std::lock_guard lock(count_->mutex);
    count_->graphs.push_back(graph);
  }
  return count_->compiler == nullptr ? interpret(graph) : count_->compiler(graph, examples);
}

int64_t CompileCounter::frames() const {
  return static_cast<int64_t>(graphs().size());
}

int64_t CompileCounter::operations() const {
  int64_t operations = 0;
  for (const ir::Graph& graph : graphs()) {
    operations += graph.operatorCount();
  }
  return operations;
}

std::vector<ir::Graph> CompileCounter::graphs() const {
  const std::lock_guard lock(count_->mutex);
  return count_->graphs;
}

void CompileCounter::clear() {
  const std::lock_guard lock(count_->mutex);
  count_->graphs.clear();
}

GraphFunction splitModule(const ir::Graph& graph, const std::function<int(const ir::Node& node)>& partitionOf,
                          const Compiler& compiler, const Tensors& examples) {
  TORCH_CHECK_VALUE(compiler != nullptr, "splitModule() needs a compiler");
  const auto split = std::make_shared<const passes::SplitModule>(
      graph, partitionOf, backends::GraphCompiler([&](ir::Graph part, const Tensors& given) {
        return foreignGraph(part, compiler(part, given));
      }),
      examples);
  return [split](Tensors inputs) { return split->run(std::move(inputs)); };
}

ir::Graph makeGraph(const Function& function, const Tensors& examples, TracingMode mode) {
  const fake::Backing backing = mode == TracingMode::kReal ? fake::Backing::kValues : fake::Backing::kMeta;
  const runtime::Interpreter captured(capture::exportCallable({.function = function}, examples, backing));
  const aot_autograd::JointTrace trace(captured, examples, backing);
  std::vector<ir::NodeId> outputs;
  for (const int output : trace.plan().outputs) {
    outputs.push_back(output < 0 ? -1 : trace.nodeOf(output));
  }
  return ir::subgraph(trace.recorded(), trace.recorded().placeholders(), outputs,
                      [&](ir::NodeId id) { return trace.recorded().node(id).kind == ir::NodeKind::kOperator; });
}

SymbolicGraph::SymbolicGraph(const Function& function, const Tensors& examples)
    : trace_(std::make_shared<const capture::SymbolicTrace>(
          [&](const Tensors& given) { return makeGraph(function, given, TracingMode::kFake); }, examples)) {}

std::string SymbolicGraph::code() const {
  return trace_->text();
}

const std::vector<std::string>& SymbolicGraph::guards() const {
  return trace_->guards();
}

ir::Graph SymbolicGraph::at(const Tensors& inputs) const {
  return trace_->at(inputs);
}

} // namespace touchstone::aot
