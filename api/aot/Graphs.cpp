// Graphs as data: captured, exported, run, printed.

#include "api/aot/Pipeline.h"
#include "backends/aot_autograd/AotExport.h"
#include "backends/capture/ExportedCallable.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"

namespace touchstone::aot {

GraphFunction interpret(ir::Graph graph) {
  return [interpreter = std::make_shared<const runtime::Interpreter>(std::move(graph))](Tensors inputs) {
    return interpreter->runFlat(std::move(inputs));
  };
}

std::string codeOf(const ir::Graph& graph) {
  return ir::graphCode(graph, runtime::libtorchTextOptions());
}

ir::Graph capture(const Function& function, const Tensors& examples) {
  return capture::exportCallable({.function = function}, examples);
}

ir::Graph aotExportJointSimple(const ir::Graph& graph, const Tensors& examples, bool traceJoint,
                               const Options& options) {
  TORCH_CHECK_VALUE(graph.placeholders().size() == examples.size(), "the Graph has ", graph.placeholders().size(),
                    " placeholders; got ", examples.size(), " examples");
  for (size_t i = 0; i < examples.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (examples[i].is_same(examples[j])) {
        throw ir::Unsupported("inputs " + std::to_string(j) + " and " + std::to_string(i) +
                              " are one tensor, which cannot be exported");
      }
    }
  }
  return aot_autograd::aotExportJointSimple(graph, examples, traceJoint, backingOf(options),
                                            aot_autograd::ExportedWrites::kRefused, options.decompositions.table());
}

ir::Graph aotExportJointSimple(const Function& function, const Tensors& examples, bool traceJoint,
                               const Options& options) {
  return aotExportJointSimple(capture::exportCallable({.function = function}, examples, backingOf(options)), examples,
                              traceJoint, options);
}

} // namespace touchstone::aot
