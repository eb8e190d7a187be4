#include "backends/passes/DeadCode.h"

#include "backends/fake/OperatorTraits.h"
#include "backends/partitioners/Partition.h"
#include "backends/passes/Expressions.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"

namespace touchstone::backends {

namespace {

bool doesMoreThanGiveAValue(const graph::Node& node) {
  if (node.kind == graph::NodeKind::kOperator) {
    const c10::OperatorHandle& op = operatorOf(node.target);
    return mayWrite(node) || traitsOf(op).isRandom || op.schema().returns().empty() || mayRaiseOnData(node);
  }
  return node.kind == graph::NodeKind::kCallable;
}

} // namespace

graph::Graph withoutDeadCode(const graph::Graph& graph) {
  return graph::subgraph(graph, graph.placeholders(), graph::outputNodes(graph),
                         [&](graph::NodeId node) { return doesMoreThanGiveAValue(graph.node(node)); });
}

} // namespace touchstone::backends
