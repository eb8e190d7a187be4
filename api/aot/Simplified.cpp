// aotModuleSimplified(): compiled at once, without guards.

#include "api/aot/ModuleProgram.h"
#include "api/aot/Pipeline.h"
#include "backends/capture/ExportedCallable.h"
#include "backends/native/AotModule.h"

namespace touchstone::aot {

GraphFunction aotModuleSimplified(ir::Graph graph, const Tensors& examples, const Options& options) {
  TORCH_CHECK_VALUE(graph.placeholders().size() == examples.size(), "the Graph has ", graph.placeholders().size(),
                    " placeholders; got ", examples.size(), " examples");
  const auto compiled = native::aotModuleSimplified(
      std::move(graph), examples, {.stages = pipelineOptions(options), .debugAssert = options.debugAssert});
  return [compiled, count = examples.size()](Tensors inputs) {
    TORCH_CHECK_VALUE(inputs.size() == count, "compiled for ", count, " inputs; got ", inputs.size());
    return compiled->run(std::move(inputs));
  };
}

GraphFunction aotModuleSimplified(std::shared_ptr<torch::nn::Module> module, Function forward, const Tensors& examples,
                                  const Options& options) {
  const capture::CallableProgram program = moduleProgram(module, std::move(forward));
  Tensors held;
  for (const auto& [name, tensor] : program.held) {
    held.push_back(tensor);
  }
  Tensors inputs = held;
  inputs.insert(inputs.end(), examples.begin(), examples.end());
  const auto compiled =
      native::aotModuleSimplified(exportCallable(program, examples, backingOf(options)), inputs,
                                  {.stages = pipelineOptions(options), .debugAssert = options.debugAssert});
  return [module = std::move(module), held = std::move(held), compiled, count = examples.size()](Tensors arguments) {
    TORCH_CHECK_VALUE(arguments.size() == count, "compiled for ", count, " arguments; got ", arguments.size());
    Tensors all = held;
    all.insert(all.end(), std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end()));
    arguments.clear();
    return compiled->run(std::move(all));
  };
}

} // namespace touchstone::aot
