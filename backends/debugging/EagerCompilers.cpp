#include "backends/debugging/EagerCompilers.h"

#include "backends/debugging/SchemaCheck.h"
#include "graph/runtime/Interpreter.h"

#include <utility>

namespace touchstone::debugging {

namespace {

class NoexceptGraph final : public backends::CompiledGraph {
 public:
  explicit NoexceptGraph(ir::Graph graph) : interpreter_(std::move(graph)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    try {
      return interpreter_.runFlat(std::move(inputs));
    } catch (...) {
      throw UnexpectedException::ofCurrent();
    }
  }

 private:
  runtime::Interpreter interpreter_;
};

class GraphWithMode final : public backends::CompiledGraph {
 public:
  GraphWithMode(ir::Graph graph, std::shared_ptr<runtime::CallMode> mode)
      : interpreter_(std::move(graph)), mode_(std::move(mode)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    return interpreter_.runFlat(std::move(inputs), *mode_);
  }

 private:
  runtime::Interpreter interpreter_;
  std::shared_ptr<runtime::CallMode> mode_;
};

class SchemaCheckedGraph final : public backends::CompiledGraph {
 public:
  explicit SchemaCheckedGraph(ir::Graph graph) : interpreter_(std::move(graph)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    SchemaCheck check;
    fake::DispatchMode::Scope scope(check);
    return interpreter_.runFlat(std::move(inputs));
  }

 private:
  runtime::Interpreter interpreter_;
};

} // namespace

UnexpectedException::UnexpectedException(const values::RaisedException& raised, std::exception_ptr cause)
    : values::RaisedException(raised), cause_(std::move(cause)) {
  text_ = "TorchDynamoException: Unexpected exception when running generated GraphModule\ncaused by " +
          std::string(raised.what());
  wrapper = "TorchDynamoException";
}

UnexpectedException UnexpectedException::ofCurrent() {
  return {values::currentException(), std::current_exception()};
}

std::shared_ptr<const backends::CompiledGraph> compileExpectingNoException(ir::Graph graph,
                                                                           const std::vector<at::Tensor>&) {
  return std::make_shared<const NoexceptGraph>(std::move(graph));
}

backends::GraphCompiler eagerWithMode(std::shared_ptr<runtime::CallMode> mode) {
  return [mode = std::move(mode)](ir::Graph graph, const std::vector<at::Tensor>&) {
    return std::make_shared<const GraphWithMode>(std::move(graph), mode);
  };
}

backends::GraphCompiler eagerWithModes(std::vector<std::shared_ptr<runtime::CallMode>> modes) {
  return eagerWithMode(std::make_shared<runtime::CallModeStack>(std::move(modes)));
}

std::shared_ptr<const backends::CompiledGraph> compileWithSchemaCheck(ir::Graph graph, const std::vector<at::Tensor>&) {
  return std::make_shared<const SchemaCheckedGraph>(std::move(graph));
}

} // namespace touchstone::debugging
