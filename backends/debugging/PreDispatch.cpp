#include "backends/debugging/PreDispatch.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/arguments/ArgumentCopies.h"
#include "backends/capture/Recorder.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Stages.h"
#include "graph/runtime/CallMode.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/GeneratorState.h"

#include <ATen/core/grad_mode.h>

#include <cstdio>
#include <utility>

namespace touchstone::debugging {

namespace {

/// Records what an Interpreter calls.
class RecordingMode final : public runtime::CallMode {
 public:
  explicit RecordingMode(capture::Recorder& recorder) : recorder_(recorder) {}

  void onOperator(const ir::Node& node, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                  const std::function<void()>& next) override {
    recorder_.setLine(node.line);
    if (!recorder_.record(op, stack)) {
      next();
    }
  }

  values::Value onCallable(const ir::Node& node, const runtime::CallableCall& call, const values::ValueList& arguments,
                           const std::function<values::Value()>&) override {
    recorder_.setLine(node.line);
    runtime::CallableCall copy = call;
    copy.arguments = arguments;
    return recorder_.record(copy);
  }

  /// The constant itself: what writes to it would write to a fake copy.
  at::Tensor onConstant(const ir::Node&, const at::Tensor& constant, const std::function<at::Tensor()>&) override {
    return constant;
  }

 private:
  capture::Recorder& recorder_;
};

} // namespace

RetracedGraph retraceAboveAutograd(const ir::Graph& graph, const std::vector<at::Tensor>& examples) {
  values::GeneratorStateScope generator;
  c10::AutoGradMode restored(c10::GradMode::is_enabled());
  const std::vector<std::string> names = ir::placeholderNames(graph);
  fake::Tracer tracer; // outlives every fake tensor below
  const aot_autograd::TracedArguments traced =
      aot_autograd::traceArguments(tracer, values::ValueList(examples.begin(), examples.end()), names);
  std::vector<at::Tensor> fakes;
  for (const values::Value& value : traced.values) {
    fakes.push_back(value.tensor());
  }
  capture::Recorder recorder(fakes, names);
  RecordingMode mode(recorder);
  fake::Tracer::Scope scope(tracer);
  std::vector<ir::NodeId> outputs;
  for (const at::Tensor& output : runtime::Interpreter(graph).runFlat(std::move(fakes), mode)) {
    outputs.push_back(output.defined() ? recorder.nodeOf(output) : -1);
  }
  RetracedGraph retraced;
  retraced.graph = recorder.take(outputs, retraced.used);
  return retraced;
}

backends::GraphCompiler preDispatchEager(std::function<void(ir::Graph& graph, const std::string& code)> onGraph) {
  return [onGraph = std::move(onGraph)](ir::Graph graph, const std::vector<at::Tensor>& examples) {
    RetracedGraph retraced = retraceAboveAutograd(graph, examples);
    ir::GraphTextOptions options = runtime::libtorchTextOptions();
    options.name = ir::kPreDispatchStage;
    options.showState = true;
    onGraph(retraced.graph, ir::graphCode(retraced.graph, options));
    return backends::graphOf([graph = backends::interpreted(std::move(retraced.graph)),
                              used = std::move(retraced.used)](std::vector<at::Tensor> inputs) {
      std::vector<at::Tensor> taken;
      for (const size_t position : used) {
        taken.push_back(std::move(inputs.at(position)));
      }
      inputs.clear();
      return graph->run(std::move(taken));
    });
  };
}

backends::GraphCompiler preDispatchEager() {
  return preDispatchEager([](ir::Graph&, const std::string& code) { std::fputs(code.c_str(), stdout); });
}

} // namespace touchstone::debugging
