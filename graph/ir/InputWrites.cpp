#include "graph/ir/InputWrites.h"

#include "graph/ir/Arguments.h"

#include <algorithm>
#include <variant>

namespace touchstone::ir {

std::vector<InputWrite> inputWrites(const Graph& forward, const std::function<bool(size_t output)>& isReturned) {
  const std::vector<NodeId> outputs = outputNodes(forward);
  const std::vector<NodeId>& placeholders = forward.placeholders();
  std::vector<InputWrite> writes;
  size_t next = 0; // output
  for (const Node& copy : forward.nodes()) {
    if (copy.target != "aten::copy_" || copy.writes.empty()) {
      continue;
    }
    while (next < outputs.size() && (outputs[next] >= 0 || !isReturned(next))) {
      ++next;
    }
    InputWrite& write = writes.emplace_back();
    if (next < outputs.size()) {
      write.output = next++;
    }
    write.target = copy.writes[0];
    const Node& target = forward.node(write.target);
    const NodeId input = target.kind == NodeKind::kPlaceholder
                             ? write.target
                             : std::get<NodeReference>(target.arguments.at(0).payload).node;
    const auto found = std::find(placeholders.begin(), placeholders.end(), input);
    if (found != placeholders.end()) {
      write.placeholder = static_cast<size_t>(found - placeholders.begin());
    }
  }
  return writes;
}

} // namespace touchstone::ir
