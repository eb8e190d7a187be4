#include "backends/aot_autograd/FunctionalGraph.h"

#include "backends/fake/EffectfulOperators.h"
#include "backends/fake/OperatorTraits.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/Interpreter.h"

#include <utility>

namespace touchstone::aot_autograd {

using ir::NodeId;

NodeId FunctionalGraph::emit(const std::string& target, std::vector<ir::Argument> arguments) {
  const NodeId node = graph.addOperator(target, std::move(arguments));
  ir::Node& added = graph.node(node);
  added.backward = backward;
  added.line = line;
  added.sequence = sequence;
  added.original = original;
  return node;
}

NodeId FunctionalGraph::takeToken() {
  if (tokens.given < 0) {
    tokens.taken = tokens.given = graph.addPlaceholder(backward ? "backward_token" : "token");
    graph.node(tokens.taken).metadata = runtime::metadataOf(fake::makeToken());
  }
  return tokens.given;
}

NodeId FunctionalGraph::emitEffect(const std::string& target, std::vector<ir::Argument> arguments) {
  const ir::TensorMetadata token = runtime::metadataOf(fake::makeToken());
  arguments.insert(arguments.begin(), ir::nodeArgument(takeToken()));
  const NodeId call = emit(fake::withEffectsTarget(target), std::move(arguments));
  if (fake::operatorOf(target).schema().returns().empty()) {
    graph.node(call).metadata = token;
    tokens.given = call;
  } else {
    tokens.given = element(call, 0, token);
  }
  return call;
}

NodeId FunctionalGraph::element(NodeId call, int64_t position, std::optional<ir::TensorMetadata> metadata) {
  const NodeId node = graph.addElement(call, position);
  graph.node(node).metadata = std::move(metadata);
  graph.node(node).backward = backward;
  return node;
}

std::vector<NodeId> FunctionalGraph::append(const ir::Graph& other, const std::vector<NodeId>& operands) {
  std::vector<bool> wanted(other.nodes().size(), true);
  std::vector<NodeId> placed(other.nodes().size(), -1);
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto placeholder = static_cast<size_t>(other.placeholders()[i]);
    wanted[placeholder] = false;
    placed[placeholder] = operands[i];
  }
  const size_t first = graph.nodes().size();
  ir::copyNodes(other, wanted, graph, placed);
  for (size_t i = first; i < graph.nodes().size(); ++i) {
    ir::Node& added = graph.node(static_cast<NodeId>(i));
    added.backward = backward;
    added.line = line;
    added.sequence = sequence;
    added.original = original;
    if (added.metadata) {
      added.metadata->storage = -1; // nobody else sees it
    }
  }
  return placed;
}

} // namespace touchstone::aot_autograd
