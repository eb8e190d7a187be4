#include "graph/ir/Subgraph.h"

#include "graph/ir/Arguments.h"

#include <stdexcept>

namespace touchstone::ir {

namespace {

Argument renumbered(const Argument& argument, const std::vector<NodeId>& numbers) {
  if (const auto* reference = std::get_if<NodeReference>(&argument.payload)) {
    return Argument{NodeReference{numbers[static_cast<size_t>(reference->node)]}};
  }
  if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    Argument::Container copy = *container;
    for (Argument& item : copy.items) {
      item = renumbered(item, numbers);
    }
    return Argument{std::move(copy)};
  }
  return argument;
}

} // namespace

void forEachReference(const Argument& argument, const std::function<void(NodeId)>& visit) {
  if (const auto* reference = std::get_if<NodeReference>(&argument.payload)) {
    visit(reference->node);
  } else if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    for (const Argument& item : container->items) {
      forEachReference(item, visit);
    }
  }
}

void copyNodes(const Graph& graph, NodeId begin, NodeId end, const std::vector<bool>& wanted, Graph& part,
               std::vector<NodeId>& numbers) {
  const auto& nodes = graph.nodes();
  for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
    if (!wanted[i]) {
      continue;
    }
    const Node& node = nodes[i];
    NodeId copy = -1;
    switch (node.kind) {
      case NodeKind::kPlaceholder: throw std::logic_error("`" + node.name + "` is an input and cannot be copied");
      case NodeKind::kConstant:
        copy = part.addConstant("constant", graph.constants()[static_cast<size_t>(node.constant)]);
        part.node(copy).state = node.state;
        break;
      case NodeKind::kElement:
      case NodeKind::kCallable:
      case NodeKind::kOperator: {
        std::vector<Argument> arguments;
        for (const Argument& argument : node.arguments) {
          arguments.push_back(renumbered(argument, numbers));
        }
        if (node.kind == NodeKind::kElement) {
          copy = part.addElement(std::get<NodeReference>(arguments[0].payload).node,
                                 std::get<int64_t>(arguments[1].payload));
        } else if (node.kind == NodeKind::kCallable) {
          copy = part.addCallable(node.target, std::move(arguments),
                                  graph.callables()[static_cast<size_t>(node.callable)], node.state);
        } else {
          copy = part.addOperator(node.target, std::move(arguments), node.state);
        }
        break;
      }
    }
    Node& added = part.node(copy);
    added.metadata = node.metadata;
    added.line = node.line;
    added.sequence = node.sequence;
    added.original = node.original;
    added.backward = node.backward;
    numbers[i] = copy;
  }
}

void copyNodes(const Graph& graph, const std::vector<bool>& wanted, Graph& part, std::vector<NodeId>& numbers) {
  copyNodes(graph, 0, static_cast<NodeId>(graph.nodes().size()), wanted, part, numbers);
}

void forEachOperand(const Node& node, const std::function<void(NodeId)>& visit) {
  for (const Argument& argument : node.arguments) {
    forEachReference(argument, visit);
  }
}

void mark(std::vector<bool>& marked, const std::vector<NodeId>& nodes) {
  for (NodeId node : nodes) {
    if (node >= 0) {
      marked[static_cast<size_t>(node)] = true;
    }
  }
}

void spreadToOperands(const Graph& graph, std::vector<bool>& marked, const std::function<bool(NodeId)>& isLeaf) {
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    if (marked[i] && !(isLeaf && isLeaf(static_cast<NodeId>(i)))) {
      forEachOperand(graph.nodes()[i], [&](NodeId operand) { marked[static_cast<size_t>(operand)] = true; });
    }
  }
}

Graph subgraph(const Graph& graph, const std::vector<NodeId>& inputs, const std::vector<NodeId>& outputs,
               const std::function<bool(NodeId)>& keep) {
  const auto& nodes = graph.nodes();
  std::vector<NodeId> numbers(nodes.size(), -1);
  Graph part;
  for (NodeId input : inputs) {
    const Node& node = graph.node(input);
    const NodeId placeholder = part.addPlaceholder(node.name);
    part.node(placeholder).metadata = node.metadata;
    numbers[static_cast<size_t>(input)] = placeholder;
  }
  std::vector<bool> needed(nodes.size(), false);
  mark(needed, outputs);
  for (size_t i = nodes.size(); i-- > 0;) {
    needed[i] = (needed[i] || (keep && keep(static_cast<NodeId>(i)))) && numbers[i] < 0;
    if (!needed[i]) {
      continue;
    }
    if (nodes[i].kind == NodeKind::kPlaceholder) {
      throw std::logic_error("`" + nodes[i].name + "` is needed but is not among the inputs");
    }
    forEachOperand(nodes[i], [&](NodeId node) { needed[static_cast<size_t>(node)] = true; });
  }
  copyNodes(graph, needed, part, numbers);
  std::vector<NodeId> returned;
  for (NodeId output : outputs) {
    returned.push_back(output < 0 ? -1 : numbers[static_cast<size_t>(output)]);
  }
  part.output = nodeTuple(returned);
  return part;
}

} // namespace touchstone::ir
