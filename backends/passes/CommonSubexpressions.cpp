#include "backends/passes/CommonSubexpressions.h"

#include "backends/passes/Expressions.h"
#include "graph/ir/Subgraph.h"

#include <set>
#include <string>
#include <unordered_map>

namespace touchstone::passes {

using ir::NodeId;

/// Nodes in whose memory something is written: the targets of writes, and what these may be views of.
static std::vector<bool> writtenTo(const ir::Graph& graph) {
  std::vector<bool> written(graph.nodes().size(), false);
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const ir::Node& node = graph.nodes()[i];
    if (written[i] || mayWrite(node)) {
      for (const ir::Argument& argument : node.arguments) {
        ir::forEachReference(argument, [&](NodeId operand) { written[static_cast<size_t>(operand)] = true; });
      }
    }
  }
  return written;
}

std::vector<NodeId> mergeRepeated(ir::Graph& graph, const std::vector<NodeId>& outputs, ir::PassGate* gate) {
  const std::vector<bool> returnedStorages = storagesOf(graph, outputs);
  const std::set<NodeId> returned(outputs.begin(), outputs.end());
  const auto isReturned = [&](NodeId id) {
    const int storage = graph.node(id).metadata ? graph.node(id).metadata->storage : -1;
    return returned.contains(id) || (storage >= 0 && static_cast<size_t>(storage) < returnedStorages.size() &&
                                     returnedStorages[static_cast<size_t>(storage)]);
  };
  const std::vector<bool> written = writtenTo(graph);
  std::vector<NodeId> into;
  std::unordered_map<std::string, NodeId> first; // by expression, with `into` as names
  int64_t writes = 0;
  std::vector<int64_t> writesBefore;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    into.push_back(id);
    writes += mayWrite(graph.node(id)) ? 1 : 0;
    writesBefore.push_back(writes);
    std::string expression = expressionOf(graph, id, into);
    if (expression.empty() || isReturned(id) || written[static_cast<size_t>(id)]) {
      continue;
    }
    const auto [known, fresh] = first.try_emplace(std::move(expression), id);
    if (fresh) {
      continue;
    }
    if (writesBefore[static_cast<size_t>(known->second)] != writes) {
      known->second = id; // what comes now reads what this one reads
    } else if (gate == nullptr || gate->mayApply("cse", graph.node(id).name)) {
      into.back() = known->second;
    }
  }
  redirect(graph, into);
  return into;
}

} // namespace touchstone::passes
