#include "backends/passes/NoOps.h"

#include "backends/fake/OperatorTraits.h"
#include "backends/passes/Expressions.h"
#include "graph/ir/Arguments.h"
#include "graph/ir/Geometry.h"
#include "graph/ir/Subgraph.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace touchstone::backends {

namespace {

using graph::Node;
using graph::NodeId;

enum class NoOpKind {
  kView, // gives the same memory in any case
  kCopy, // gives other memory
};

struct NoOpRow {
  NoOpKind kind;
  int neutral = -1; // the argument after the operand that has to be this number; -1: there is none
};

const std::unordered_map<std::string_view, NoOpRow> kNoOps{
    {"aten::alias", {NoOpKind::kView}},         {"aten::detach", {NoOpKind::kView}},
    {"aten::view", {NoOpKind::kView}},          {"aten::expand", {NoOpKind::kView}},
    {"aten::slice.Tensor", {NoOpKind::kView}},  {"aten::permute", {NoOpKind::kView}},
    {"aten::as_strided", {NoOpKind::kView}},    {"aten::_unsafe_view", {NoOpKind::kView}},
    {"aten::clone", {NoOpKind::kCopy}},         {"aten::_to_copy", {NoOpKind::kCopy}},
    {"aten::mul.Scalar", {NoOpKind::kCopy, 1}}, {"aten::mul.Tensor", {NoOpKind::kCopy, 1}},
    {"aten::div.Scalar", {NoOpKind::kCopy, 1}}, {"aten::div.Tensor", {NoOpKind::kCopy, 1}},
    {"aten::sub.Scalar", {NoOpKind::kCopy, 0}}, {"aten::sub.Tensor", {NoOpKind::kCopy, 0}},
};

bool isNumber(const graph::Argument& argument, int wanted) {
  if (const auto* integer = std::get_if<int64_t>(&argument.payload)) {
    return *integer == wanted;
  }
  const auto* number = std::get_if<double>(&argument.payload);
  return number != nullptr && *number == wanted && !std::signbit(*number);
}

bool isPermutationOfNothing(const Node& node) {
  const auto* order = std::get_if<graph::Argument::Container>(&node.arguments[1].payload);
  const auto rank = static_cast<int64_t>(node.metadata->sizes.size());
  for (size_t i = 0; order != nullptr && i < order->items.size(); ++i) {
    const auto* dimension = std::get_if<int64_t>(&order->items[i].payload);
    if (dimension == nullptr || (*dimension % rank + rank) % rank != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return order != nullptr;
}

/// The same elements in the same order in memory of the same shape; those of a view also begin at the same place.
bool looksTheSame(const graph::TensorMetadata& result, const graph::TensorMetadata& operand, NoOpKind kind) {
  return graph::sameLayout(result, operand) && result.dtype.value == operand.dtype.value &&
         result.device == operand.device && result.conjugate == operand.conjugate &&
         result.negative == operand.negative && (kind == NoOpKind::kCopy || result.offset == operand.offset);
}

/// The operand that a node gives back; -1: it does not.
NodeId givenBack(const graph::Graph& graph, const Node& node) {
  const auto row = node.kind == graph::NodeKind::kOperator ? kNoOps.find(node.target) : kNoOps.end();
  if (row == kNoOps.end() || !node.metadata) {
    return -1;
  }
  const auto* operand = std::get_if<graph::NodeReference>(&node.arguments.at(0).payload);
  if (operand == nullptr || !graph.node(operand->node).metadata ||
      !looksTheSame(*node.metadata, *graph.node(operand->node).metadata, row->second.kind)) {
    return -1;
  }
  const bool isNeutral = row->second.neutral < 0 || isNumber(node.arguments.at(1), row->second.neutral);
  // Equal sizes and strides do not tell a square from its transpose when both have one element only in each row.
  const bool isInOrder = row->first != "aten::permute" || isPermutationOfNothing(node);
  const bool cutsHistory = row->first == "aten::detach" && graph.node(operand->node).metadata->requiresGrad;
  return isNeutral && isInOrder && !cutsHistory ? operand->node : -1;
}

} // namespace

size_t removeNoOps(graph::Graph& graph) {
  std::vector<NodeId> shared; // returned or written to
  graph::forEachReference(graph.output, [&](NodeId node) { shared.push_back(node); });
  for (const Node& node : graph.nodes()) {
    shared.insert(shared.end(), node.writes.begin(), node.writes.end());
    if (node.kind == graph::NodeKind::kOperator) {
      for (const size_t position : traitsOf(operatorOf(node.target)).writes) {
        graph::forEachReference(node.arguments.at(position), [&](NodeId target) { shared.push_back(target); });
      }
    }
  }
  const std::vector<bool> storages = storagesOf(graph, shared);
  const auto isShared = [&](NodeId node) {
    const int storage = graph.node(node).metadata ? graph.node(node).metadata->storage : -1;
    return std::find(shared.begin(), shared.end(), node) != shared.end() ||
           (storage >= 0 && static_cast<size_t>(storage) < storages.size() && storages[static_cast<size_t>(storage)]);
  };
  std::vector<NodeId> into;
  size_t count = 0;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    into.push_back(id);
    const NodeId operand = givenBack(graph, graph.node(id));
    if (operand < 0) {
      continue;
    }
    const bool isCopy = kNoOps.at(graph.node(id).target).kind == NoOpKind::kCopy;
    const bool mayGo = isCopy ? !isShared(id) && !isShared(operand) && !isShared(into[static_cast<size_t>(operand)])
                              : std::find(shared.begin(), shared.end(), id) == shared.end();
    if (mayGo) {
      into.back() = into[static_cast<size_t>(operand)];
      ++count;
    }
  }
  redirect(graph, into);
  return count;
}

} // namespace touchstone::backends
