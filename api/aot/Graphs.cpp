// Graphs as data: captured, exported, run, printed.

#include "api/aot/Pipeline.h"
#include "backends/aot_autograd/AotExport.h"
#include "backends/capture/ExportedCallable.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"

namespace touchstone::aot {

GraphFunction interpret(graph::Graph graph) {
  return [interpreter = std::make_shared<const graph::Interpreter>(std::move(graph))](Tensors inputs) {
    return interpreter->runFlat(std::move(inputs));
  };
}

std::string codeOf(const graph::Graph& graph) {
  return graph::graphCode(graph, graph::libtorchTextOptions());
}

graph::Graph capture(const Function& function, const Tensors& examples) {
  return backends::exportCallable({.function = function}, examples);
}

graph::Graph aotExportJointSimple(const graph::Graph& graph, const Tensors& examples, bool traceJoint,
                                  const Options& options) {
  TORCH_CHECK_VALUE(graph.placeholders().size() == examples.size(), "the Graph has ", graph.placeholders().size(),
                    " placeholders; got ", examples.size(), " examples");
  for (size_t i = 0; i < examples.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (examples[i].is_same(examples[j])) {
        throw graph::Unsupported("inputs " + std::to_string(j) + " and " + std::to_string(i) +
                                 " are one tensor, which cannot be exported");
      }
    }
  }
  return backends::aotExportJointSimple(graph, examples, traceJoint, beneathOf(options),
                                        backends::ExportedWrites::kRefused, options.decompositions.table());
}

graph::Graph aotExportJointSimple(const Function& function, const Tensors& examples, bool traceJoint,
                                  const Options& options) {
  return aotExportJointSimple(backends::exportCallable({.function = function}, examples, beneathOf(options)), examples,
                              traceJoint, options);
}

} // namespace touchstone::aot
