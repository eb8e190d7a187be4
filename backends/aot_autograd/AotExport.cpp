#include "backends/aot_autograd/AotExport.h"

#include "backends/aot_autograd/Functionalizer.h"
#include "backends/aot_autograd/JointTrace.h"
#include "backends/aot_autograd/UnliftedTokens.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"
#include "program/values/CompiledProgram.h"

#include <algorithm>
#include <set>

namespace touchstone::aot_autograd {

namespace {

using ir::NodeId;

/// The tensors that inputs are, each alone in its memory and unchanged but for its data.
void checkInputs(const JointTrace& trace, const Functionalizer& functionalizer, ExportedWrites writes) {
  for (const TracedInputStorage& storage : trace.arguments().storages) {
    if (storage.isFlat) {
      throw ir::Unsupported("inputs that share memory, or are views of others, cannot be exported");
    }
  }
  for (size_t i = 0; i < trace.plan().inputs.size(); ++i) {
    const InputPlan& input = trace.plan().inputs[i];
    const bool isWritten = functionalizer.writes(trace.storageOf(static_cast<int>(i))) > 0;
    const bool isChanged = input.moved || input.detached || input.requiresGrad || input.root >= 0;
    if (isChanged || (isWritten && writes == ExportedWrites::kRefused)) {
      throw ir::Unsupported("the program changes its input `" + input.name + "`, which cannot be exported");
    }
  }
}

/// The values that are returned: what inputs hold that were written to, then the outputs.
std::vector<NodeId> returnedValues(const JointTrace& trace, Functionalizer& functionalizer) {
  const ViewAndMutationMetadata& plan = trace.plan();
  std::vector<NodeId> values;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const auto tensor = static_cast<int>(i);
    if (functionalizer.writes(trace.storageOf(tensor)) > 0) {
      values.push_back(functionalizer.read(trace.nodeOf(tensor)));
    }
  }
  std::set<int> storages; // of outputs
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const int tensor = plan.outputs[i];
    if (tensor < 0) {
      values.push_back(-1);
      continue;
    }
    const int storage = trace.storageOf(tensor);
    if (trace.recorded().storages[static_cast<size_t>(storage)].input >= 0 || !storages.insert(storage).second) {
      throw ir::Unsupported("output " + std::to_string(i) +
                            " shares memory with an input or another output, which cannot be exported");
    }
    values.push_back(functionalizer.read(trace.nodeOf(tensor)));
  }
  return values;
}

/// Of `returned` values, the last of which are the outputs, those that have a tangent.
std::vector<size_t> positionsWithTangents(const ViewAndMutationMetadata& plan, size_t returned) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (std::find(plan.roots.begin(), plan.roots.end(), plan.outputs[i]) != plan.roots.end()) {
      positions.push_back(returned - plan.outputs.size() + i);
    }
  }
  return positions;
}

/// Records the backward from the outputs; adds the tangents, in the order of the outputs, to the inputs and the gradients to
/// the outputs.
void addBackward(JointTrace& trace, Functionalizer& functionalizer, std::vector<NodeId>& inputs,
                 std::vector<NodeId>& outputs) {
  const ViewAndMutationMetadata& plan = trace.plan();
  TangentLayouts layouts(plan.roots.size());
  for (size_t i = 0; i < plan.roots.size(); ++i) {
    if (std::find(plan.outputs.begin(), plan.outputs.end(), plan.roots[i]) != plan.outputs.end()) {
      layouts[i] = plan.tangents[i];
    }
  }
  std::vector<NodeId> tangents(plan.roots.size(), -1), gradients(plan.inputs.size(), -1);
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    const auto begin = static_cast<NodeId>(trace.recorded().nodes().size());
    functionalizer.skip(begin);
    const JointTrace::Backward backward = trace.recordBackward(node, layouts);
    if (!trace.writesToForward(begin, backward.end).empty()) {
      throw ir::Unsupported("the backward writes to an input or a value of the forward, which cannot be exported");
    }
    const std::vector<NodeId> given = functionalizer.processBackward(backward.tangents, backward.end);
    if (functionalizer.tokens().taken >= 0) {
      throw ir::Unsupported("an operator with an effect in the backward, which cannot be exported");
    }
    for (size_t root = 0; root < given.size(); ++root) {
      tangents[root] = std::max(tangents[root], given[root]);
    }
    for (size_t wanted : plan.nodes[node].wanted) {
      const auto tensor = static_cast<size_t>(plan.wanted[wanted]);
      if (tensor < gradients.size() && backward.gradients[wanted] >= 0) {
        gradients[tensor] = functionalizer.read(backward.gradients[wanted]);
      }
    }
  }
  for (int output : plan.outputs) {
    const auto root = static_cast<size_t>(std::find(plan.roots.begin(), plan.roots.end(), output) - plan.roots.begin());
    if (root < tangents.size() && tangents[root] >= 0) {
      inputs.push_back(tangents[root]);
    }
  }
  outputs.insert(outputs.end(), gradients.begin(), gradients.end());
}

/// The Graph with ones instead of the tangents, of the results at the positions `outputs`; made behind the forward.
ir::Graph withOnesAsTangents(const ir::Graph& graph, size_t inputs, const std::vector<size_t>& outputs) {
  ir::Graph made;
  const auto count = static_cast<NodeId>(graph.nodes().size());
  std::vector<NodeId> numbers(graph.nodes().size(), -1);
  std::vector<bool> wanted(graph.nodes().size(), true);
  for (size_t i = 0; i < graph.placeholders().size(); ++i) {
    const auto taken = static_cast<size_t>(graph.placeholders()[i]);
    wanted[taken] = false;
    if (i < inputs) {
      numbers[taken] = made.addPlaceholder(graph.nodes()[taken].name);
      made.node(numbers[taken]).metadata = graph.nodes()[taken].metadata;
    }
  }
  NodeId begin = 0;
  while (begin < count && !graph.node(begin).backward) {
    ++begin;
  }
  ir::copyNodes(graph, 0, begin, wanted, made, numbers);
  const std::vector<NodeId> results = ir::outputNodes(graph);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto tangent = static_cast<size_t>(graph.placeholders()[inputs + i]);
    const NodeId output = numbers[static_cast<size_t>(results[outputs[i]])];
    const ir::Argument none;
    numbers[tangent] = made.addOperator("aten::ones_like", {ir::nodeArgument(output), none, none, none, none, none});
    ir::Node& ones = made.node(numbers[tangent]);
    ones.metadata = graph.nodes()[tangent].metadata;
    ones.backward = true;
    ones.line = made.node(output).line;
    ones.sequence = made.node(output).sequence;
  }
  ir::copyNodes(graph, begin, count, wanted, made, numbers);
  std::vector<NodeId> returned;
  for (const NodeId result : results) {
    returned.push_back(result < 0 ? -1 : numbers[static_cast<size_t>(result)]);
  }
  made.output = ir::nodeTuple(returned);
  return made;
}

} // namespace

ir::Graph aotExportJointSimple(const ir::Graph& graph, const std::vector<at::Tensor>& examples, bool traceJoint,
                               fake::Backing backing, ExportedWrites writes,
                               std::shared_ptr<const decompositions::DecompositionTable> decompositions,
                               ExportManner manner) {
  JointTrace trace(runtime::Interpreter(graph), examples, backing, std::nullopt, manner.asPyTorch);
  Functionalizer functionalizer(trace.recorded(), {.table = std::move(decompositions)},
                                manner.asPyTorch ? ViewsStand::kWhereRecorded : ViewsStand::kWhereRead);
  functionalizer.process(trace.forwardEnd(), false);
  checkInputs(trace, functionalizer, writes);
  std::vector<NodeId> inputs = functionalizer.graph().placeholders();
  std::vector<NodeId> outputs = returnedValues(trace, functionalizer);
  const bool hasEffects = functionalizer.tokens().taken >= 0;
  if (hasEffects) {
    std::erase(inputs, functionalizer.tokens().taken);
    inputs.insert(inputs.begin(), functionalizer.tokens().taken);
    outputs.insert(outputs.begin(), functionalizer.tokens().given);
  }
  const size_t given = inputs.size();
  std::vector<size_t> withTangents; // positions of outputs
  if (traceJoint) {
    withTangents = positionsWithTangents(trace.plan(), outputs.size());
    addBackward(trace, functionalizer, inputs, outputs);
  }
  ir::Graph exported = ir::subgraph(functionalizer.graph(), inputs, outputs);
  if (manner.noTangents && inputs.size() > given) {
    exported = withOnesAsTangents(exported, given, withTangents);
  }
  return hasEffects ? unliftToken(exported, 0, 0) : exported;
}

} // namespace touchstone::aot_autograd
