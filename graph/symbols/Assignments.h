#pragma once

#include "graph/symbols/Condition.h"

#include <vector>

namespace touchstone::symbols {

/// Assignments for a Fitting, the given one first: `count` in all, fewer where the conditions leave no more. Irregular, without
/// equal values, between 2 and `most`; the order of symbols changes. `conditions`: what must hold under each.
std::vector<Assignment> assignmentsLike(const Assignment& hints, size_t count, const std::vector<Condition>& conditions,
                                        int64_t most = 40);

} // namespace touchstone::symbols
