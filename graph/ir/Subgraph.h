#pragma once

#include "graph/ir/Graph.h"

#include <functional>
#include <vector>

namespace touchstone::ir {

/// The part of a Graph that computes `outputs` from `inputs`, as a Graph of its own: a placeholder for each input, in
/// order, and what lies between. A node that is not needed is left out unless `keep` says otherwise; null: none is kept.
/// An output of -1 becomes None. Throws std::logic_error when an output or a kept node depends on a placeholder that is
/// not among the inputs.
Graph subgraph(const Graph& graph, const std::vector<NodeId>& inputs, const std::vector<NodeId>& outputs,
               const std::function<bool(NodeId)>& keep = nullptr);

/// Adds copies of the nodes from `begin` to `end` (without these: of all) for which `wanted` (by node) says so to `part`, in order. `numbers`, by node of `graph`: what it is
/// in `part`; known for all that the copied ones refer to and that are not copied themselves, filled in for those that are.
/// Throws std::logic_error when a placeholder is wanted.
void copyNodes(const Graph& graph, NodeId begin, NodeId end, const std::vector<bool>& wanted, Graph& part,
               std::vector<NodeId>& numbers);
void copyNodes(const Graph& graph, const std::vector<bool>& wanted, Graph& part, std::vector<NodeId>& numbers);

/// Calls `visit` with each node that an argument refers to.
void forEachReference(const Argument& argument, const std::function<void(NodeId)>& visit);
/// The same for all arguments of a node.
void forEachOperand(const Node& node, const std::function<void(NodeId)>& visit);

/// Marks, by node, these; those of -1 are None.
void mark(std::vector<bool>& marked, const std::vector<NodeId>& nodes);
/// Marks what the marked nodes are computed from, without going past the nodes that `isLeaf` names; null: it names none.
void spreadToOperands(const Graph& graph, std::vector<bool>& marked,
                      const std::function<bool(NodeId)>& isLeaf = nullptr);

} // namespace touchstone::ir
