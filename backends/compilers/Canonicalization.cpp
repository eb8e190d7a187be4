#include "backends/compilers/Canonicalization.h"

#include <string>
#include <variant>

namespace touchstone::compilers {

namespace {

using ir::Argument;

/// `aten::_to_copy(self, dtype, layout, device, pin_memory, non_blocking, memory_format)`
bool changesDtypeAlone(const ir::Node& node) {
  const auto& given = node.arguments;
  const Argument none, no{false};
  return node.kind == ir::NodeKind::kOperator && node.target == "aten::_to_copy" && given.at(1) != none &&
         given.at(2) == none && given.at(3) == none && given.at(4) == none && given.at(5) == no && given.at(6) == none;
}

bool takeNumber(Argument& argument) {
  auto* device = std::get_if<ir::DeviceConstant>(&argument.payload);
  const size_t colon = device != nullptr ? device->text.find(':') : std::string::npos;
  if (colon == std::string::npos) {
    return false;
  }
  device->text.resize(colon);
  return true;
}

} // namespace

int64_t canonicalizeForTorchScript(ir::Graph& graph) {
  int64_t changed = 0;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    ir::Node& node = graph.node(static_cast<ir::NodeId>(i));
    bool changes = changesDtypeAlone(node);
    if (changes) {
      constexpr bool kNonBlocking = false, kCopy = true;
      node.target = "aten::to.dtype";
      node.arguments = {node.arguments[0], node.arguments[1], Argument{kNonBlocking}, Argument{kCopy}, Argument{}};
    }
    for (Argument& argument : node.arguments) {
      changes = takeNumber(argument) || changes;
    }
    changed += changes ? 1 : 0;
  }
  return changed;
}

} // namespace touchstone::compilers
