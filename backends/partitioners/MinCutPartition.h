#pragma once

#include "backends/partitioners/RecomputeBans.h"

#include <optional>
#include <set>
#include <vector>

namespace touchstone::partitioners {

/// How a min-cut partition chooses.
struct MinCutOptions {
  RecomputeList list = RecomputeList::kInductor;
  RecomputeRules rules;
  /// How much memory the saved values may take: 1 is what the rules above lead to, 0 the inputs alone; between, values are
  /// computed again in spite of the rules, those first that give most memory for least work.
  double memoryBudget = 1;
};

/// What a cut of a joint Graph costs.
struct CutCosts {
  static constexpr int64_t kUnlimited = -1;
  std::vector<int64_t> capacity; // by node: of saving it; kUnlimited: it cannot be saved
};

/// Bytes, a tenth more for each step from the backward, twice that where every user is fused with it.
CutCosts cutCosts(const ir::Graph& joint, const NodeRoles& roles);

struct SavedChoice {
  std::vector<ir::NodeId> values; // in order; of the forward, or recorded in the backward and free of tangents
  CutCosts costs;
  bool isLeast = true; // no choice under the rules costs less; false: a budget decided
};

/// Which values the forward saves, so that the backward computes everything else again: the cut of least capacity nearest the
/// backward (torch/_functorch/partitioners.py, min_cut_rematerialization_partition). The joint Graph should have repeated
/// expressions merged. None where no cut is possible or there is nothing to cut: the default partition is what is left.
/// Throws std::invalid_argument for a budget outside of 0 to 1.
std::optional<SavedChoice> chooseSavedValues(const ir::Graph& joint, const PartitionInputs& inputs,
                                             const MinCutOptions& options = {});

} // namespace touchstone::partitioners
