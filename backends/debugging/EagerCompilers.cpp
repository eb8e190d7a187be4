#include "backends/debugging/EagerCompilers.h"

#include "backends/debugging/SchemaCheck.h"
#include "graph/runtime/Interpreter.h"

#include <utility>

namespace touchstone::backends {

namespace {

class NoexceptGraph final : public CompiledGraph {
 public:
  explicit NoexceptGraph(graph::Graph graph) : interpreter_(std::move(graph)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    try {
      return interpreter_.runFlat(std::move(inputs));
    } catch (...) {
      throw UnexpectedException::ofCurrent();
    }
  }

 private:
  graph::Interpreter interpreter_;
};

class GraphWithMode final : public CompiledGraph {
 public:
  GraphWithMode(graph::Graph graph, std::shared_ptr<graph::CallMode> mode)
      : interpreter_(std::move(graph)), mode_(std::move(mode)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    return interpreter_.runFlat(std::move(inputs), *mode_);
  }

 private:
  graph::Interpreter interpreter_;
  std::shared_ptr<graph::CallMode> mode_;
};

class SchemaCheckedGraph final : public CompiledGraph {
 public:
  explicit SchemaCheckedGraph(graph::Graph graph) : interpreter_(std::move(graph)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    SchemaCheck check;
    DispatchMode::Scope scope(check);
    return interpreter_.runFlat(std::move(inputs));
  }

 private:
  graph::Interpreter interpreter_;
};

} // namespace

UnexpectedException::UnexpectedException(const graph::RaisedException& raised, std::exception_ptr cause)
    : graph::RaisedException(raised), cause_(std::move(cause)) {
  text_ = "TorchDynamoException: Unexpected exception when running generated GraphModule\ncaused by " +
          std::string(raised.what());
  wrapper = "TorchDynamoException";
}

UnexpectedException UnexpectedException::ofCurrent() {
  return {graph::currentException(), std::current_exception()};
}

std::shared_ptr<const CompiledGraph> compileExpectingNoException(graph::Graph graph, const std::vector<at::Tensor>&) {
  return std::make_shared<const NoexceptGraph>(std::move(graph));
}

GraphCompiler eagerWithMode(std::shared_ptr<graph::CallMode> mode) {
  return [mode = std::move(mode)](graph::Graph graph, const std::vector<at::Tensor>&) {
    return std::make_shared<const GraphWithMode>(std::move(graph), mode);
  };
}

GraphCompiler eagerWithModes(std::vector<std::shared_ptr<graph::CallMode>> modes) {
  return eagerWithMode(std::make_shared<graph::CallModeStack>(std::move(modes)));
}

std::shared_ptr<const CompiledGraph> compileWithSchemaCheck(graph::Graph graph, const std::vector<at::Tensor>&) {
  return std::make_shared<const SchemaCheckedGraph>(std::move(graph));
}

} // namespace touchstone::backends
