#include "harness/commands/PlainEffects.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/EffectNames.h"
#include "graph/runtime/Interpreter.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace touchstone::commands {

namespace {

using ir::NodeId;

size_t returnsOf(const std::string& target) {
  return runtime::findOperator(target)->schema().returns().size();
}

const ir::NodeReference* referenceIn(const ir::Argument& argument) {
  return std::get_if<ir::NodeReference>(&argument.payload);
}

/// By node: it is a token, or does nothing but make or take them.
std::vector<bool> tokensOf(const ir::Graph& graph) {
  std::vector<bool> tokens(graph.nodes().size(), false);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const ir::Node& node = graph.nodes()[i];
    if (!runtime::effectOf(node.target).empty()) {
      tokens[static_cast<size_t>(referenceIn(node.arguments.at(0))->node)] = true;
      tokens[i] = returnsOf(node.target) == 1; // else its elements are the token and the results
    } else if (node.kind == ir::NodeKind::kElement) {
      const ir::Node& call = graph.node(referenceIn(node.arguments.at(0))->node);
      tokens[i] = !runtime::effectOf(call.target).empty() && node.arguments.at(1) == ir::Argument{int64_t{0}};
    } else {
      tokens[i] = node.target == runtime::kMakeToken || node.target == runtime::kSinkTokens;
    }
  }
  return tokens;
}

/// Turns the calls of effects into plain ones. By node: the call whose only result it is; -1: it is none.
std::vector<NodeId> makePlain(ir::Graph& graph) {
  std::vector<NodeId> onlyResults(graph.nodes().size(), -1);
  std::vector<size_t> returns(graph.nodes().size(), 0); // of a call that was turned, the token included
  for (size_t i = 0; i < onlyResults.size(); ++i) {
    ir::Node& node = graph.node(static_cast<NodeId>(i));
    if (const std::string effect = runtime::effectOf(node.target); !effect.empty()) {
      returns[i] = returnsOf(node.target);
      node.target = effect;
      node.arguments.erase(node.arguments.begin());
    } else if (node.kind == ir::NodeKind::kElement) {
      const NodeId call = referenceIn(node.arguments.at(0))->node;
      if (returns[static_cast<size_t>(call)] == 2) {
        onlyResults[i] = call;
      } else if (returns[static_cast<size_t>(call)] > 2) {
        --std::get<int64_t>(node.arguments.at(1).payload);
      }
    }
  }
  return onlyResults;
}

} // namespace

ir::Graph withPlainEffects(ir::Graph graph, std::vector<at::Tensor>& inputs) {
  const std::vector<bool> tokens = tokensOf(graph);
  if (std::find(tokens.begin(), tokens.end(), true) == tokens.end()) {
    return graph;
  }
  const std::vector<NodeId> placeholders = graph.placeholders();
  for (size_t position = std::min(placeholders.size(), inputs.size()); position-- > 0;) {
    if (tokens[static_cast<size_t>(placeholders[position])]) {
      inputs.erase(inputs.begin() + static_cast<ptrdiff_t>(position));
    }
  }
  const std::vector<NodeId> onlyResults = makePlain(graph);
  ir::Graph plain;
  std::vector<NodeId> numbers(tokens.size(), -1);
  const std::vector<bool> all(tokens.size(), true);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const ir::Node& node = std::as_const(graph).node(id);
    const bool isCall = node.kind == ir::NodeKind::kOperator && node.target != runtime::kMakeToken &&
                        node.target != runtime::kSinkTokens;
    if (tokens[i] && !isCall) {
      continue;
    }
    if (onlyResults[i] >= 0) {
      numbers[i] = numbers[static_cast<size_t>(onlyResults[i])];
    } else if (node.kind == ir::NodeKind::kPlaceholder) {
      numbers[i] = plain.addPlaceholder(node.name);
      plain.node(numbers[i]).metadata = node.metadata;
    } else {
      ir::copyNodes(graph, id, id + 1, all, plain, numbers);
    }
  }
  std::vector<NodeId> results;
  for (const NodeId result : ir::outputNodes(graph)) {
    if (result < 0 || !tokens[static_cast<size_t>(result)]) {
      results.push_back(result < 0 ? -1 : numbers[static_cast<size_t>(result)]);
    }
  }
  plain.output = ir::nodeTuple(results);
  return plain;
}

} // namespace touchstone::commands
