#include "graph/ir/SplitGraph.h"

#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace touchstone::ir {

namespace {

constexpr int kGiven = -1; // placeholders, and what is left out

bool isCall(const Node& node) {
  return node.kind == NodeKind::kOperator || node.kind == NodeKind::kCallable;
}

/// The part in which each node runs.
std::vector<int> partsOfNodes(const Graph& graph, const std::function<int(const Node& node)>& partitionOf,
                              std::vector<int>& partitions) {
  std::vector<int> parts;
  for (const Node& node : graph.nodes()) {
    int part = kGiven;
    const int partition = isCall(node) ? partitionOf(node) : kGiven;
    if (partition >= 0) {
      const auto known = std::find(partitions.begin(), partitions.end(), partition);
      if (known == partitions.end()) {
        partitions.push_back(partition);
      } else if (known + 1 != partitions.end()) {
        throw std::invalid_argument("`" + node.name + "` belongs to partition " + std::to_string(partition) +
                                    ", which has ended: `" + std::to_string(partitions.back()) + "` has begun");
      }
      part = static_cast<int>(partitions.size()) - 1;
    } else if (node.kind == NodeKind::kElement) {
      part = parts[static_cast<size_t>(std::get<NodeReference>(node.arguments.at(0).payload).node)];
    }
    parts.push_back(part);
    for (const Argument& argument : node.arguments) {
      forEachReference(argument, [&](NodeId read) {
        int& maker = parts[static_cast<size_t>(read)];
        maker = graph.node(read).kind == NodeKind::kConstant && maker == kGiven ? part : maker;
      });
    }
  }
  forEachReference(graph.output, [&](NodeId read) { // a constant that is only returned
    int& maker = parts[static_cast<size_t>(read)];
    if (graph.node(read).kind == NodeKind::kConstant && maker == kGiven) {
      maker = static_cast<int>(partitions.size()) - 1;
    }
  });
  return parts;
}

} // namespace

std::vector<GraphPart> splitGraph(const Graph& graph, const std::function<int(const Node& node)>& partitionOf) {
  std::vector<int> partitions;
  const std::vector<int> partOf = partsOfNodes(graph, partitionOf, partitions);
  const auto& nodes = graph.nodes();
  std::vector<std::set<NodeId>> inputs(partitions.size()), outputs(partitions.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (partOf[i] == kGiven) {
      continue;
    }
    const auto user = static_cast<size_t>(partOf[i]);
    for (const Argument& argument : nodes[i].arguments) {
      forEachReference(argument, [&](NodeId read) {
        const int maker = partOf[static_cast<size_t>(read)];
        if (maker == static_cast<int>(user)) {
          return;
        }
        inputs[user].insert(read);
        if (maker != kGiven) {
          outputs[static_cast<size_t>(maker)].insert(read);
        }
      });
    }
  }
  forEachReference(graph.output, [&](NodeId read) {
    if (partOf[static_cast<size_t>(read)] != kGiven) {
      outputs[static_cast<size_t>(partOf[static_cast<size_t>(read)])].insert(read);
    }
  });
  std::vector<GraphPart> parts;
  for (size_t i = 0; i < partitions.size(); ++i) {
    GraphPart part{.partition = partitions[i]};
    part.inputs.assign(inputs[i].begin(), inputs[i].end());
    part.outputs.assign(outputs[i].begin(), outputs[i].end());
    part.graph = subgraph(graph, part.inputs, part.outputs, [&](NodeId node) {
      return partOf[static_cast<size_t>(node)] == static_cast<int>(i) && isCall(nodes[static_cast<size_t>(node)]);
    });
    parts.push_back(std::move(part));
  }
  return parts;
}

} // namespace touchstone::ir
