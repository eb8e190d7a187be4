#include "graph/ir/Arguments.h"

namespace touchstone::graph {

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

} // namespace touchstone::graph
