#include "api/aot/Pipeline.h"

#include "graph/ir/Arguments.h"
#include "graph/runtime/Interpreter.h"

#include <stdexcept>

namespace touchstone::aot {

namespace {

backends::GraphCompiler graphCompiler(const Compiler& compiler) {
  if (compiler == nullptr) {
    return nullptr;
  }
  return [compiler](ir::Graph graph, const Tensors& examples) {
    // The state of the thread is guarded: whoever runs the nodes in the state that they tell of runs them in the caller's.
    const ir::CallState state = runtime::currentCallState();
    for (size_t id = 0; id < graph.nodes().size(); ++id) {
      ir::CallState& told = graph.node(static_cast<ir::NodeId>(id)).state;
      told.gradEnabled = state.gradEnabled;
      told.inference = state.inference;
    }
    GraphFunction function = compiler(graph, examples);
    TORCH_CHECK_VALUE(function != nullptr, "the compiler returned nothing that could be called");
    return foreignGraph(graph, std::move(function));
  };
}

aot_autograd::SavedValuesChooser chooserOf(const Partitioner& partitioner) {
  return [partitioner](const ir::Graph& joint, const partitioners::PartitionInputs& inputs) {
    return partitioner({.graph = joint,
                        .inputs = inputs.inputs,
                        .tangents = inputs.tangents,
                        .outputs = inputs.outputs,
                        .gradients = inputs.gradients,
                        .backwardBegin = inputs.backwardBegin,
                        .readByBackward = partitioners::valuesReadByBackward(joint, inputs)});
  };
}

} // namespace

std::shared_ptr<const backends::CompiledGraph> foreignGraph(const ir::Graph& graph, GraphFunction function) {
  return backends::graphOf([function = std::move(function), outputs = ir::outputNodes(graph).size()](Tensors inputs) {
    Tensors results = function(std::move(inputs));
    TORCH_CHECK(results.size() == outputs, "what the compiler made of a Graph with ", outputs, " outputs returned ",
                results.size());
    return results;
  });
}

fake::Backing backingOf(const Options& options) {
  return options.traceWithValues ? fake::Backing::kValues : fake::Backing::kMeta;
}

aot_autograd::AotOptions pipelineOptions(const Options& options) {
  aot_autograd::AotOptions stages{.backing = backingOf(options)};
  stages.forwardCompiler = graphCompiler(options.forwardCompiler);
  stages.backwardCompiler =
      graphCompiler(options.backwardCompiler != nullptr ? options.backwardCompiler : options.forwardCompiler);
  stages.inferenceCompiler = graphCompiler(options.inferenceCompiler);
  stages.keepInferenceInputMutations = options.keepInferenceInputMutations;
  stages.unliftEffectTokens = options.unliftEffectTokens;
  stages.decompositions = options.decompositions.table();
  stages.minCut.memoryBudget = options.memoryBudget;
  if (options.partitioner != nullptr) {
    stages.partition = aot_autograd::AotPartition::kChosen;
    stages.chooseSaved = chooserOf(options.partitioner);
  } else if (options.partition == Partition::kMinCut) {
    stages.partition = aot_autograd::AotPartition::kMinCut;
  }
  return stages;
}

} // namespace touchstone::aot
