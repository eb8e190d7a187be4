#pragma once

#include "graph/ir/Graph.h"
#include "graph/ir/PassGate.h"

#include <vector>

namespace touchstone::passes {

/// Lets everything that refers to a node refer to an earlier one that computes the same instead; nodes keep their numbers, and
/// those that are not needed any more stay until somebody takes the part that is (torch/_functorch/compile_utils.py,
/// fx_graph_cse). Not merged: draws and fresh memory; nodes with a write between them, or that are written to; nodes in different states of autograd
/// or autocast; and what lies in the memory of one of the `outputs` (-1: None), which stay tensors of their own.
/// Returns, by node, the one that takes its place, or itself. Asks `gate` as the pass `cse`; null: everything applies.
std::vector<ir::NodeId> mergeRepeated(ir::Graph& graph, const std::vector<ir::NodeId>& outputs,
                                      ir::PassGate* gate = nullptr);

} // namespace touchstone::passes
