#include "backends/substitutes/PartsOfJoint.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/InputWrites.h"
#include "graph/ir/Stages.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <map>
#include <utility>

namespace touchstone::substitutes {

namespace {

using ir::Graph;
using ir::NodeId;

const Graph& graphOf(const ir::StageArtifacts& artifacts, const std::string& stage) {
  const Graph* graph = artifacts.graph(stage);
  if (graph == nullptr) {
    throw NoSubstitute("there is no " + stage + " graph");
  }
  return *graph;
}

const Graph& jointOf(const ir::StageArtifacts& artifacts) {
  const Graph* merged = artifacts.graph(ir::kMergedStage);
  return merged != nullptr ? *merged : graphOf(artifacts, ir::kFunctionalStage);
}

std::vector<NodeId> nodesNamed(const Graph& graph, const std::vector<std::string>& names) {
  std::map<std::string, NodeId> known;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    known.emplace(graph.nodes()[i].name, static_cast<NodeId>(i));
  }
  std::vector<NodeId> nodes;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found == known.end()) {
      throw NoSubstitute("the joint graph has no `" + name + "`");
    }
    nodes.push_back(found->second);
  }
  return nodes;
}

Graph partOf(const Graph& graph, const std::vector<NodeId>& inputs, const std::vector<NodeId>& outputs,
             const std::function<bool(NodeId)>& keep) {
  try {
    return ir::subgraph(graph, inputs, outputs, keep);
  } catch (const std::logic_error& error) {
    throw NoSubstitute(error.what());
  }
}

/// What the forward writes to its inputs at its end, in place of returning it, `part` writes, too.
void writeInputs(const Graph& forward, Graph& part) {
  std::vector<ir::Argument>& returned = std::get<ir::Argument::Container>(part.output.payload).items;
  const std::vector<NodeId> ofJoint = ir::outputNodes(part);
  for (const ir::InputWrite& write : ir::inputWrites(forward, [&](size_t i) { return ofJoint.at(i) >= 0; })) {
    if (!write.output || !write.placeholder) {
      throw NoSubstitute("the forward graph writes what the joint one does not have");
    }
    const ir::Node& target = forward.node(write.target);
    NodeId memory = part.placeholders().at(*write.placeholder);
    if (target.kind != ir::NodeKind::kPlaceholder) {
      std::vector<ir::Argument> layout = target.arguments;
      layout[0] = ir::nodeArgument(memory);
      memory = part.addOperator(target.target, std::move(layout));
      part.node(memory).metadata = target.metadata;
    }
    const NodeId written = part.addOperator(
        "aten::copy_",
        {ir::nodeArgument(memory), std::exchange(returned[*write.output], ir::Argument{}), ir::Argument{false}});
    part.node(written).metadata = target.metadata;
    part.node(written).writes = {memory};
  }
}

} // namespace

Graph forwardOfJoint(const ir::StageArtifacts& artifacts) {
  const Graph &joint = jointOf(artifacts), &forward = graphOf(artifacts, ir::kForwardStage);
  const std::vector<std::string>& saved = artifacts.partition.saved;
  std::vector<NodeId> outputs = ir::outputNodes(joint);
  const size_t returned = ir::outputNodes(forward).size();
  if (returned < saved.size() || outputs.size() < returned - saved.size()) {
    throw NoSubstitute("the forward graph returns too little");
  }
  outputs.resize(returned - saved.size());
  const std::vector<NodeId> kept = nodesNamed(joint, saved);
  outputs.insert(outputs.end(), kept.begin(), kept.end());
  Graph part = partOf(joint, nodesNamed(joint, ir::placeholderNames(forward)), outputs, [&](NodeId node) {
    return joint.node(node).kind != ir::NodeKind::kPlaceholder && !joint.node(node).backward;
  });
  writeInputs(forward, part);
  return part;
}

Graph backwardOfJoint(const ir::StageArtifacts& artifacts, const std::string& stage, size_t firstGradient) {
  const Graph &joint = jointOf(artifacts), &backward = graphOf(artifacts, stage);
  const Graph& forward = graphOf(artifacts, ir::kForwardStage);
  const std::vector<NodeId> outputs = ir::outputNodes(joint);
  const size_t results = ir::outputNodes(forward).size() - artifacts.partition.saved.size();
  const size_t begin = results + firstGradient, end = begin + ir::outputNodes(backward).size();
  if (end > outputs.size()) {
    throw NoSubstitute("the joint graph has fewer gradients");
  }
  return partOf(
      joint, nodesNamed(joint, ir::placeholderNames(backward)),
      {outputs.begin() + static_cast<std::ptrdiff_t>(begin), outputs.begin() + static_cast<std::ptrdiff_t>(end)},
      nullptr);
}

} // namespace touchstone::substitutes
