#include "backends/faults/GraphEdits.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/GraphDrawing.h"
#include "graph/ir/Subgraph.h"
#include "graph/runtime/GraphCode.h"
#include "graph/runtime/Interpreter.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace touchstone::faults {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::NodeId;
using ir::NodeKind;

namespace {

Argument renumbered(const Argument& argument, const std::vector<NodeId>& numbers) {
  if (const NodeId node = nodeOf(argument); node >= 0) {
    return ir::nodeArgument(numbers.at(static_cast<size_t>(node)));
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

/// The node, with the arguments that it has in the Graph in the making.
Node renumbered(Node node, const std::vector<NodeId>& numbers) {
  for (Argument& argument : node.arguments) {
    argument = renumbered(argument, numbers);
  }
  for (NodeId& write : node.writes) {
    write = numbers.at(static_cast<size_t>(write));
  }
  return node;
}

/// Adds a node of `from` to `graph`.
NodeId add(const Graph& from, Graph& graph, const Node& node) {
  NodeId added = -1;
  switch (node.kind) {
    case NodeKind::kPlaceholder: added = graph.addPlaceholder(node.name); break;
    case NodeKind::kConstant:
      added = graph.addConstant("constant", from.constants()[static_cast<size_t>(node.constant)]);
      break;
    case NodeKind::kOperator: added = graph.addOperator(node.target, node.arguments, node.state); break;
    case NodeKind::kCallable:
      added = graph.addCallable(node.target, node.arguments, from.callables()[static_cast<size_t>(node.callable)],
                                node.state);
      break;
    case NodeKind::kElement:
      added = graph.addElement(nodeOf(node.arguments[0]), std::get<int64_t>(node.arguments[1].payload));
      break;
  }
  Node& copy = graph.node(added);
  copy.state = node.state;
  copy.metadata = node.metadata;
  copy.line = node.line;
  copy.writes = node.writes;
  copy.functionalResults = node.functionalResults;
  copy.backward = node.backward;
  copy.sequence = node.sequence;
  return added;
}

void rebuild(Graph& graph, const std::vector<NodeId>& order, const NodeRewrite& rewrite) {
  Graph made;
  std::vector<NodeId> numbers(graph.nodes().size(), -1);
  for (const NodeId id : order) {
    const Node node = renumbered(graph.node(id), numbers);
    std::optional<NodeId> instead;
    if (rewrite != nullptr && node.kind != NodeKind::kPlaceholder) {
      instead = rewrite(made, node);
    }
    numbers[static_cast<size_t>(id)] = instead ? *instead : add(graph, made, node);
  }
  made.output = renumbered(graph.output, numbers);
  made.storages = graph.storages;
  for (ir::TracedStorage& storage : made.storages) {
    storage.root = storage.root < 0 ? -1 : numbers.at(static_cast<size_t>(storage.root));
  }
  made.brokenBy = graph.brokenBy;
  graph = std::move(made);
}

std::vector<NodeId> inOrder(const Graph& graph) {
  std::vector<NodeId> order(graph.nodes().size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

} // namespace

void rewriteNodes(Graph& graph, const NodeRewrite& rewrite) {
  rebuild(graph, inOrder(graph), rewrite);
}

void reorderNodes(Graph& graph, const std::vector<NodeId>& order) {
  std::vector<bool> there(graph.nodes().size(), false);
  bool isSound = true;
  for (const NodeId id : order) {
    ir::forEachOperand(graph.node(id), [&](NodeId read) { isSound = isSound && there.at(static_cast<size_t>(read)); });
    there[static_cast<size_t>(id)] = true;
  }
  if (isSound && order.size() == graph.nodes().size()) {
    rebuild(graph, order, nullptr);
  }
}

bool swapNeighbours(Graph& graph, NodeId first) {
  bool reads = false;
  ir::forEachOperand(graph.node(first + 1), [&](NodeId read) { reads = reads || read == first; });
  if (!reads) {
    std::vector<NodeId> order = inOrder(graph);
    std::swap(order[static_cast<size_t>(first)], order[static_cast<size_t>(first) + 1]);
    reorderNodes(graph, order);
  }
  return !reads;
}

bool isCall(const Node& node, std::initializer_list<std::string_view> names) {
  constexpr std::string_view kLibrary = "aten::";
  const std::string_view target = node.target;
  if (node.kind != NodeKind::kOperator || target.substr(0, kLibrary.size()) != kLibrary) {
    return false;
  }
  const std::string_view whole = target.substr(kLibrary.size());
  const std::string_view base = ir::withoutOverload(target).substr(kLibrary.size());
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return name == whole || name == base; });
}

bool isInPlace(const Node& node) {
  return node.kind == NodeKind::kOperator && ir::withoutOverload(node.target).ends_with('_') &&
         !isCall(node, {"requires_grad_", "retain_grad"});
}

bool isView(const Node& node) {
  return node.kind == NodeKind::kOperator && runtime::returnsView(node.target);
}

bool isRandom(const Node& node) {
  return node.kind == NodeKind::kOperator && runtime::familyOf(node.target) == ir::OperatorFamily::kRandom;
}

NodeId nodeOf(const Argument& argument) {
  const auto* reference = std::get_if<ir::NodeReference>(&argument.payload);
  return reference == nullptr ? -1 : reference->node;
}

const Node* operand(const Graph& graph, const Node& node, size_t position) {
  const NodeId id = position < node.arguments.size() ? nodeOf(node.arguments[position]) : -1;
  return id < 0 ? nullptr : &graph.node(id);
}

std::optional<double> numberOf(const Graph& graph, const Argument& argument) {
  if (const auto* whole = std::get_if<int64_t>(&argument.payload)) {
    return static_cast<double>(*whole);
  }
  if (const auto* real = std::get_if<double>(&argument.payload)) {
    return *real;
  }
  const NodeId id = nodeOf(argument);
  if (id >= 0 && graph.node(id).kind == NodeKind::kConstant) {
    const at::Tensor& constant = runtime::constantOf(graph, graph.node(id));
    if (constant.dim() == 0 && !constant.is_complex()) {
      return constant.item<double>();
    }
  }
  return std::nullopt;
}

std::optional<int64_t> integerOf(const Argument& argument) {
  const auto* whole = std::get_if<int64_t>(&argument.payload);
  return whole == nullptr ? std::nullopt : std::optional(*whole);
}

std::vector<int64_t> integersOf(const Argument& argument) {
  std::vector<int64_t> values;
  if (const auto* container = std::get_if<Argument::Container>(&argument.payload)) {
    for (const Argument& item : container->items) {
      const std::optional<int64_t> value = integerOf(item);
      if (!value) {
        return {};
      }
      values.push_back(*value);
    }
  }
  return values;
}

size_t wrapped(int64_t dim, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  return static_cast<size_t>((dim % count + count) % count);
}

bool isContiguous(const ir::TensorMetadata& layout) {
  ir::TensorMetadata plain = layout;
  plain.strides = ir::contiguousStrides(layout.sizes);
  return ir::sameSignificantLayout(layout, plain);
}

std::optional<ir::DtypeConstant> dtypeOf(const Graph& graph, NodeId node) {
  const auto& metadata = node < 0 ? std::nullopt : graph.node(node).metadata;
  return metadata ? std::optional(metadata->dtype) : std::nullopt;
}

std::vector<int64_t> sizesOf(const Graph& graph, NodeId node) {
  const auto& metadata = node < 0 ? std::nullopt : graph.node(node).metadata;
  return metadata ? metadata->sizes : std::vector<int64_t>();
}

bool isHalf(const Graph& graph, NodeId node) {
  const auto dtype = dtypeOf(graph, node);
  const auto type = static_cast<at::ScalarType>(dtype.value_or(ir::DtypeConstant{6}).value);
  return type == at::kHalf || type == at::kBFloat16;
}

bool isFloating(const Graph& graph, NodeId node) {
  const auto dtype = dtypeOf(graph, node);
  return dtype.has_value() && at::isFloatingType(static_cast<at::ScalarType>(dtype->value));
}

bool isInteger(const Graph& graph, NodeId node) {
  const auto dtype = dtypeOf(graph, node);
  return dtype.has_value() && at::isIntegralType(static_cast<at::ScalarType>(dtype->value), /*includeBool=*/false);
}

NodeRewrite onCalls(std::vector<std::string_view> names, NodeRewrite rewrite) {
  return [names = std::move(names), rewrite = std::move(rewrite)](Graph& graph, const Node& node) -> Instead {
    const bool isMeant =
        std::any_of(names.begin(), names.end(), [&](std::string_view name) { return isCall(node, name); });
    return isMeant ? rewrite(graph, node) : std::nullopt;
  };
}

NodeRewrite dropped(std::vector<std::string_view> names) {
  return onCalls(std::move(names), [](Graph&, const Node& node) -> Instead {
    const NodeId given = node.arguments.empty() ? -1 : nodeOf(node.arguments[0]);
    return given < 0 ? std::nullopt : std::optional(given);
  });
}

NodeRewrite withArgument(std::vector<std::string_view> names, size_t position, Argument argument) {
  return onCalls(std::move(names),
                 [position, argument = std::move(argument)](Graph& graph, const Node& node) -> Instead {
                   if (position >= node.arguments.size() || node.arguments[position] == argument) {
                     return std::nullopt;
                   }
                   return emitWith(graph, node, position, argument);
                 });
}

NodeRewrite withSwapped(std::vector<std::string_view> names, size_t first, size_t second) {
  return onCalls(std::move(names), [=](Graph& graph, Node node) -> Instead {
    if (std::max(first, second) >= node.arguments.size()) {
      return std::nullopt;
    }
    std::swap(node.arguments[first], node.arguments[second]);
    return emitSame(graph, node);
  });
}

NodeRewrite renamed(std::vector<std::string_view> names, std::string target) {
  return onCalls(std::move(names), [target = std::move(target)](Graph& graph, const Node& node) -> Instead {
    return emit(graph, node, target, node.arguments);
  });
}

NodeRewrite renamed(std::vector<std::string_view> names, std::string target, size_t kept, std::vector<Argument> more) {
  return onCalls(std::move(names),
                 [target = std::move(target), kept, more = std::move(more)](Graph& graph, const Node& node) -> Instead {
                   if (node.arguments.size() < kept) {
                     return std::nullopt;
                   }
                   std::vector<Argument> arguments(node.arguments.begin(),
                                                   node.arguments.begin() + static_cast<std::ptrdiff_t>(kept));
                   arguments.insert(arguments.end(), more.begin(), more.end());
                   return emit(graph, node, target, std::move(arguments));
                 });
}

std::vector<int> useCounts(const Graph& graph) {
  std::vector<int> counts(graph.nodes().size(), 0);
  const auto count = [&](NodeId read) { ++counts[static_cast<size_t>(read)]; };
  for (const Node& node : graph.nodes()) {
    ir::forEachOperand(node, count);
  }
  ir::forEachReference(graph.output, count);
  return counts;
}

NodeId emit(Graph& graph, Node like, std::string target, std::vector<Argument> arguments) {
  const NodeId id = graph.addOperator(std::move(target), std::move(arguments), like.state);
  Node& added = graph.node(id);
  added.metadata = like.metadata;
  added.line = like.line;
  added.backward = like.backward;
  added.sequence = like.sequence;
  return id;
}

NodeId emitSame(Graph& graph, const Node& node) {
  const NodeId id = emit(graph, node, node.target, node.arguments);
  graph.node(id).writes = node.writes;
  return id;
}

NodeId emitWith(Graph& graph, Node node, size_t position, Argument argument) {
  node.arguments.at(position) = std::move(argument);
  return emitSame(graph, node);
}

Argument number(int64_t value) {
  return Argument{value};
}

Argument number(double value) {
  return Argument{value};
}

} // namespace touchstone::faults
