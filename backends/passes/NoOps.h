#pragma once

#include "graph/ir/Graph.h"

namespace touchstone::backends {

/// Lets everything that refers to a node that gives its operand back, bit for bit and with its layout, refer to the operand:
/// views that change nothing, conversions to what the operand is, a product with or quotient by one, a difference with zero
/// (torch/_inductor/fx_passes/joint_graph.py and post_grad.py, remove_no_ops and remove_noop_ops). A copy is only left out
/// where neither it nor its operand is written to or returned: it is a tensor of its own. A sum with zero stays: it turns
/// -0.0 into 0.0. Returns how many nodes are left out; they stay in the Graph until somebody takes the part that is needed.
/// The Graph has metadata (a traced one).
size_t removeNoOps(graph::Graph& graph);

} // namespace touchstone::backends
