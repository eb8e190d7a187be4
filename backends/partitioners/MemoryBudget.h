#pragma once

#include "backends/partitioners/RecomputeBans.h"

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace touchstone::partitioners {

/// What a cut under some rules saves (none: no cut is possible), and what these rules have banned.
struct Solution {
  std::optional<std::vector<ir::NodeId>> saved;
  std::set<ir::NodeId> banned;
};
using Solve = std::function<Solution(const RecomputeRules& rules, const std::set<ir::NodeId>& allowed)>;

/// Saves less than `saved`, the cut without a limit: of what that takes beyond the inputs about the share `budget`
/// (torch/_functorch/partitioners.py, choose_saved_values_set). First under laxer rules, then by choosing which of the
/// banned nodes are computed again: those kept are worth most work for their memory.
std::optional<std::vector<ir::NodeId>> savedWithin(double budget, std::vector<ir::NodeId> saved, const ir::Graph& joint,
                                                   const PartitionInputs& inputs, const NodeRoles& roles,
                                                   RecomputeRules rules, const Solve& solve);

/// Which items are worth most together within `limit`, by position: memory as a share of a whole, looked at to one part in
/// ten thousand.
std::vector<size_t> knapsack(const std::vector<double>& memory, const std::vector<double>& worth, double limit);

} // namespace touchstone::partitioners
