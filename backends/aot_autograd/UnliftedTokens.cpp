#include "backends/aot_autograd/UnliftedTokens.h"

#include "backends/fake/EffectfulOperators.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"

#include <vector>

namespace touchstone::aot_autograd {

using ir::NodeId;

ir::Graph unliftToken(const ir::Graph& graph, size_t placeholder, size_t output) {
  ir::Graph unlifted;
  std::vector<NodeId> numbers(graph.nodes().size(), -1);
  std::vector<bool> wanted(graph.nodes().size(), true);
  for (const NodeId taken : graph.placeholders()) {
    wanted[static_cast<size_t>(taken)] = false;
    if (taken != graph.placeholders().at(placeholder)) {
      const NodeId given = unlifted.addPlaceholder(graph.node(taken).name);
      unlifted.node(given).metadata = graph.node(taken).metadata;
      numbers[static_cast<size_t>(taken)] = given;
    }
  }
  const ir::Node& token = graph.node(graph.placeholders()[placeholder]);
  const NodeId made = unlifted.addOperator(fake::kMakeToken, {});
  unlifted.node(made).metadata = token.metadata;
  numbers[static_cast<size_t>(graph.placeholders()[placeholder])] = made;
  ir::copyNodes(graph, wanted, unlifted, numbers);
  std::vector<NodeId> results = ir::outputNodes(graph);
  for (NodeId& result : results) {
    result = result < 0 ? -1 : numbers[static_cast<size_t>(result)];
  }
  const auto last = results.begin() + static_cast<std::ptrdiff_t>(output);
  ir::Argument::Container tokens;
  tokens.items.push_back(ir::nodeArgument(*last));
  const NodeId sunk = unlifted.addOperator(fake::kSinkTokens, {ir::Argument{std::move(tokens)}});
  unlifted.node(made).backward = unlifted.node(sunk).backward = unlifted.node(*last).backward;
  results.erase(last);
  unlifted.output = ir::nodeTuple(results);
  return unlifted;
}

} // namespace touchstone::aot_autograd
