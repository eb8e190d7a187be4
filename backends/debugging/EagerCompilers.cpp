#include "backends/debugging/EagerCompilers.h"

#include "backends/debugging/SchemaCheck.h"

#include <utility>

namespace touchstone::debugging {

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
  return backends::graphOf([graph = backends::interpreted(std::move(graph))](std::vector<at::Tensor> inputs) {
    try {
      return graph->run(std::move(inputs));
    } catch (...) {
      throw UnexpectedException::ofCurrent();
    }
  });
}

backends::GraphCompiler eagerWithMode(std::shared_ptr<runtime::CallMode> mode) {
  return [mode = std::move(mode)](ir::Graph graph, const std::vector<at::Tensor>&) {
    return backends::interpreted(std::move(graph), runtime::NodeState::kRecorded, mode);
  };
}

backends::GraphCompiler eagerWithModes(std::vector<std::shared_ptr<runtime::CallMode>> modes) {
  return eagerWithMode(std::make_shared<runtime::CallModeStack>(std::move(modes)));
}

std::shared_ptr<const backends::CompiledGraph> compileWithSchemaCheck(ir::Graph graph, const std::vector<at::Tensor>&) {
  return backends::graphOf([graph = backends::interpreted(std::move(graph))](std::vector<at::Tensor> inputs) {
    SchemaCheck check;
    fake::DispatchMode::Scope scope(check);
    return graph->run(std::move(inputs));
  });
}

} // namespace touchstone::debugging
