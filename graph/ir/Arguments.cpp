#include "graph/ir/Arguments.h"

namespace touchstone::ir {

using Container = Argument::Container;

Argument nodeArgument(NodeId node) {
  return Argument{NodeReference{node}};
}

Argument integerList(const std::vector<int64_t>& values) {
  Container list;
  for (int64_t value : values) {
    list.items.push_back(Argument{value});
  }
  return Argument{std::move(list)};
}

Argument nodeTuple(const std::vector<NodeId>& nodes) {
  Container tuple{.kind = Container::Kind::kTuple, .items = {}, .keys = {}};
  for (NodeId node : nodes) {
    tuple.items.push_back(node < 0 ? Argument{} : nodeArgument(node));
  }
  return Argument{std::move(tuple)};
}

std::vector<std::string> placeholderNames(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId placeholder : graph.placeholders()) {
    names.push_back(graph.node(placeholder).name);
  }
  return names;
}

std::vector<NodeId> outputNodes(const Graph& graph) {
  std::vector<NodeId> outputs;
  for (const Argument& item : std::get<Container>(graph.output.payload).items) {
    const auto* reference = std::get_if<NodeReference>(&item.payload);
    outputs.push_back(reference != nullptr ? reference->node : -1);
  }
  return outputs;
}

} // namespace touchstone::ir
