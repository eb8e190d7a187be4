#include "backends/debugging/PreDispatch.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/capture/Recorder.h"
#include "graph/ir/Arguments.h"
#include "graph/runtime/CallMode.h"
#include "program/values/GeneratorState.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/core/grad_mode.h>

#include <cstdio>
#include <utility>

namespace touchstone::backends {

namespace {

/// Records what an Interpreter calls.
class RecordingMode final : public graph::CallMode {
 public:
  explicit RecordingMode(Recorder& recorder) : recorder_(recorder) {}

  void onOperator(const graph::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    recorder_.setLine(node.line);
    if (!recorder_.record(op, stack)) {
      next();
    }
  }

  graph::Value onCallable(const graph::Node& node, const graph::CallableCall& call, const graph::ValueList& arguments,
                          const std::function<graph::Value()>&) override {
    recorder_.setLine(node.line);
    graph::CallableCall copy = call;
    copy.arguments = arguments;
    return recorder_.record(copy);
  }

  /// The constant itself: what writes to it would write to a fake copy.
  at::Tensor onConstant(const graph::Node&, const at::Tensor& constant, const std::function<at::Tensor()>&) override {
    return constant;
  }

 private:
  Recorder& recorder_;
};

class RetracedRun final : public CompiledGraph {
 public:
  RetracedRun(RetracedGraph retraced) : interpreter_(std::move(retraced.graph)), used_(std::move(retraced.used)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    std::vector<at::Tensor> taken;
    for (size_t position : used_) {
      taken.push_back(std::move(inputs.at(position)));
    }
    inputs.clear();
    return interpreter_.runFlat(std::move(taken));
  }

 private:
  graph::Interpreter interpreter_;
  std::vector<size_t> used_;
};

} // namespace

RetracedGraph retraceAboveAutograd(const graph::Graph& graph, const std::vector<at::Tensor>& examples) {
  graph::GeneratorStateScope generator;
  c10::AutoGradMode restored(c10::GradMode::is_enabled());
  const std::vector<std::string> names = graph::placeholderNames(graph);
  Tracer tracer; // outlives every fake tensor below
  const TracedArguments traced = traceArguments(tracer, graph::ValueList(examples.begin(), examples.end()), names);
  std::vector<at::Tensor> fakes;
  for (const graph::Value& value : traced.values) {
    fakes.push_back(value.tensor());
  }
  Recorder recorder(fakes, names);
  RecordingMode mode(recorder);
  Tracer::Scope scope(tracer);
  std::vector<graph::NodeId> outputs;
  for (const at::Tensor& output : graph::Interpreter(graph).runFlat(std::move(fakes), mode)) {
    outputs.push_back(output.defined() ? recorder.nodeOf(output) : -1);
  }
  RetracedGraph retraced;
  retraced.graph = recorder.take(outputs, retraced.used);
  return retraced;
}

GraphCompiler preDispatchEager(std::function<void(graph::Graph& graph, const std::string& code)> onGraph) {
  return [onGraph = std::move(onGraph)](graph::Graph graph, const std::vector<at::Tensor>& examples) {
    RetracedGraph retraced = retraceAboveAutograd(graph, examples);
    graph::GraphTextOptions options = graph::libtorchTextOptions();
    options.name = "pre_dispatch";
    options.showState = true;
    onGraph(retraced.graph, graph::graphCode(retraced.graph, options));
    return std::make_shared<const RetracedRun>(std::move(retraced));
  };
}

GraphCompiler preDispatchEager() {
  return preDispatchEager([](graph::Graph&, const std::string& code) { std::fputs(code.c_str(), stdout); });
}

} // namespace touchstone::backends
