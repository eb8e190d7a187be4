#include "backends/aot_autograd/AotExport.h"

#include "backends/aot_autograd/CompiledFrame.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"
#include "graph/program/CompiledProgram.h"

#include <algorithm>
#include <set>

namespace touchstone::backends {

namespace {

using graph::NodeId;

std::vector<NodeId> returnedNodes(const graph::Graph& graph) {
  std::vector<NodeId> outputs;
  for (const graph::Argument& item : std::get<graph::Argument::Container>(graph.output.payload).items) {
    const auto* reference = std::get_if<graph::NodeReference>(&item.payload);
    outputs.push_back(reference != nullptr ? reference->node : -1);
  }
  return outputs;
}

/// The value of a whole memory as the tensor that lies in it.
NodeId inPlace(graph::Graph& graph, NodeId value, const graph::TensorMetadata& layout,
               const graph::TensorMetadata& geometry) {
  if (graph::sameLayout(layout, geometry) && layout.offset == geometry.offset) {
    return value;
  }
  if (layout.dtype.value != geometry.dtype.value || geometry.conjugate || geometry.negative) {
    throw graph::Unsupported("an output is another view of its memory than sizes and strides tell");
  }
  const NodeId view =
      graph.addOperator("aten::as_strided", {graph::nodeArgument(value), graph::integerList(geometry.sizes),
                                             graph::integerList(geometry.strides), graph::Argument{geometry.offset}});
  graph.node(view).metadata = geometry;
  graph.node(view).sequence = graph.node(value).sequence;
  return view;
}

/// Keeps the joint Graph without writes.
class KeptJoint final : public graph::StageHook {
 public:
  void after(const std::string& stage, graph::StageArtifacts& artifacts) override {
    if (stage == "functional") {
      functional = *artifacts.graph(stage);
    }
  }
  graph::Graph functional; // returns memories, then by backward node the gradients of all that is wanted
};

} // namespace

graph::Graph aotExportJointSimple(const graph::Graph& graph, const std::vector<at::Tensor>& examples, bool traceJoint,
                                  Beneath beneath, ExportedWrites writes) {
  const auto kept = std::make_shared<KeptJoint>();
  const CompiledFrame frame(graph::Interpreter(graph), examples, {.beneath = beneath, .hooks = {kept}});
  const RuntimePlan& plan = frame.plan();
  graph::Graph& joint = kept->functional;
  std::set<size_t> used; // memories
  const std::vector<NodeId> results = returnedNodes(joint);
  for (const InputStoragePlan& storage : plan.inputStorages) {
    if (storage.isFlat) {
      throw graph::Unsupported("inputs that share memory cannot be exported");
    }
  }
  std::vector<NodeId> outputs;
  for (size_t i = 0; i < plan.memories.size(); ++i) {
    if (plan.memories[i].inputStorage >= 0 && writes == ExportedWrites::kReturned) {
      outputs.push_back(results[i]);
    }
  }
  for (const InputPlan& input : plan.inputs) {
    const bool isWritten = input.dataMutated && writes == ExportedWrites::kRefused;
    if (isWritten || input.moved || input.detached || input.requiresGrad || input.root >= 0) {
      throw graph::Unsupported("the program changes its input `" + input.name + "`, which cannot be exported");
    }
  }
  std::vector<NodeId> inputs(joint.placeholders().begin(),
                             joint.placeholders().begin() + static_cast<std::ptrdiff_t>(plan.inputs.size()));
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.outputs[i] < 0) {
      outputs.push_back(-1);
      continue;
    }
    const auto isSame = [&](int output) { return output == plan.outputs[i]; };
    const OutputKind kind = plan.outputKind(i);
    const bool isFresh = kind == OutputKind::kFresh || kind == OutputKind::kAliasOfIntermediate;
    if (!isFresh || std::count_if(plan.outputs.begin(), plan.outputs.end(), isSame) > 1) {
      throw graph::Unsupported("output " + std::to_string(i) +
                               " shares memory with something else, which cannot be exported");
    }
    const MadePlan& made = plan.made[static_cast<size_t>(plan.outputs[i]) - plan.inputs.size()];
    const auto memory = static_cast<size_t>(made.place.memory);
    if (!used.insert(memory).second) {
      throw graph::Unsupported("outputs that share memory cannot be exported");
    }
    outputs.push_back(inPlace(joint, results[memory], plan.memories[memory].layout, made.place.geometry));
  }
  if (traceJoint) {
    inputs = joint.placeholders();
    TangentLayouts layouts(plan.tangents.begin(), plan.tangents.end());
    std::vector<NodeId> gradients(plan.inputs.size(), -1);
    for (size_t node = 0; node < plan.nodes.size(); ++node) {
      frame.backwardFor(node, layouts); // raises what the backward raises
      for (size_t wanted : plan.nodes[node].wanted) {
        gradients[static_cast<size_t>(plan.wanted[wanted])] =
            results[plan.memories.size() + node * plan.wanted.size() + wanted];
      }
    }
    outputs.insert(outputs.end(), gradients.begin(), gradients.end());
  }
  return graph::subgraph(joint, inputs, outputs);
}

} // namespace touchstone::backends
