#include "backends/passes/Expressions.h"

#include "backends/fake/OperatorTraits.h"
#include "graph/runtime/Interpreter.h"
#include "program/operators/OperatorFacts.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace touchstone::passes {

namespace {

using ir::Argument;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;

/// Its result holds whatever was in memory.
bool isFreshMemory(std::string_view target) {
  return operators::has(operators::atenName(target), operators::kUnwritten);
}

template <class Number>
void addBits(std::string& text, const Number& number) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &number, sizeof(Number));
  text.append(bytes, sizeof(Number));
}

/// Exact: 1, 1.0 and True are three things, as are 0.0 and -0.0.
bool addArgument(std::string& text, const Argument& argument, const std::vector<NodeId>& names) {
  text += static_cast<char>(argument.payload.index());
  return std::visit(
      [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return true;
        } else if constexpr (std::is_same_v<Value, ir::NodeReference>) {
          addBits(text, names[static_cast<size_t>(value.node)]);
          return names[static_cast<size_t>(value.node)] >= 0;
        } else if constexpr (std::is_same_v<Value, std::string>) {
          addBits(text, value.size());
          text += value;
          return true;
        } else if constexpr (std::is_same_v<Value, ir::DeviceConstant>) {
          addBits(text, value.text.size());
          text += value.text;
          return true;
        } else if constexpr (std::is_same_v<Value, Argument::Container>) {
          addBits(text, value.kind);
          addBits(text, value.items.size());
          for (const std::string& key : value.keys) {
            addBits(text, key.size());
            text += key;
          }
          bool isNamed = true;
          for (const Argument& item : value.items) {
            isNamed = addArgument(text, item, names) && isNamed;
          }
          return isNamed;
        } else {
          addBits(text, value);
          return true;
        }
      },
      argument.payload);
}

/// Of a constant that is a number of the program rather than a tensor.
std::string numberText(const ir::Graph& graph, const Node& node) {
  const at::Tensor& tensor = runtime::constantOf(graph, node);
  if (!tensor.defined() || !tensor.unsafeGetTensorImpl()->is_wrapped_number() || !tensor.is_cpu()) {
    return "";
  }
  std::string text = "number(";
  addBits(text, tensor.scalar_type());
  return text.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.itemsize());
}

Argument withReferencesTo(const Argument& argument, const std::vector<NodeId>& into) {
  if (const auto* reference = std::get_if<ir::NodeReference>(&argument.payload)) {
    return Argument{ir::NodeReference{into[static_cast<size_t>(reference->node)]}};
  }
  if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    Argument::Container copy = *container;
    for (Argument& item : copy.items) {
      item = withReferencesTo(item, into);
    }
    return Argument{std::move(copy)};
  }
  return argument;
}

} // namespace

bool mayWrite(const Node& node) {
  if (node.kind == NodeKind::kCallable) {
    return true;
  }
  if (node.kind != NodeKind::kOperator) {
    return false;
  }
  const fake::OperatorTraits& traits = fake::traitsOf(fake::operatorOf(node.target));
  return !node.writes.empty() || !traits.writes.empty() || traits.hidesWrites || traits.changesMetadata;
}

std::string expressionOf(const ir::Graph& graph, NodeId id, const std::vector<NodeId>& names) {
  const Node& node = graph.node(id);
  if (node.kind == NodeKind::kConstant) {
    return numberText(graph, node);
  }
  const bool isElement = node.kind == NodeKind::kElement;
  if (!isElement && (node.kind != NodeKind::kOperator || mayWrite(node) || isFreshMemory(node.target))) {
    return "";
  }
  if (!isElement) {
    const c10::OperatorHandle& op = fake::operatorOf(node.target);
    if (fake::traitsOf(op).isRandom || op.schema().returns().empty()) {
      return "";
    }
  }
  std::string text = isElement ? "[]" : node.target;
  text += '(';
  for (const Argument& argument : node.arguments) {
    if (!addArgument(text, argument, names)) {
      return "";
    }
  }
  text += node.state.gradEnabled ? 'g' : '-';
  text += node.state.inference ? 'i' : '-';
  return text + node.state.autocast;
}

void redirect(ir::Graph& graph, const std::vector<NodeId>& into) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    for (Argument& argument : graph.node(id).arguments) {
      argument = withReferencesTo(argument, into);
    }
  }
  graph.output = withReferencesTo(graph.output, into);
}

std::vector<bool> storagesOf(const ir::Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<bool> storages;
  for (NodeId node : nodes) {
    const int storage = node < 0 || !graph.node(node).metadata ? -1 : graph.node(node).metadata->storage;
    if (storage >= 0) {
      storages.resize(std::max(storages.size(), static_cast<size_t>(storage) + 1), false);
      storages[static_cast<size_t>(storage)] = true;
    }
  }
  return storages;
}

} // namespace touchstone::passes
