#pragma once

#include "backends/partitioners/NodeRoles.h"

#include <set>

namespace touchstone::partitioners {

/// Which nodes of the forward the backward may not compute again, beyond inputs, draws, writes and what reads memory before a
/// write to it, which it never may.
struct RecomputeRules {
  bool banUnlisted = true; // operators that are not in the list; otherwise products of matrices and convolutions alone
  bool banMaterialized = true; // what the backward needs in memory as it is
  bool banReductions = true; // what is less than a quarter of its operands
  bool banFarApart = true; // what reads a value again behind something that cannot be fused
  bool banLongChains = true; // a chain of fusible operators is cut after a hundred nodes
};

/// The nodes that must not be computed again (torch/_functorch/partitioners.py, solve_min_cut). `allowed`: nodes to which
/// the rules do not apply.
std::set<ir::NodeId> recomputeBans(const ir::Graph& joint, const PartitionInputs& inputs, const NodeRoles& roles,
                                   const RecomputeRules& rules, const std::set<ir::NodeId>& allowed = {});

} // namespace touchstone::partitioners
