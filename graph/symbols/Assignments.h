#pragma once

#include "graph/symbols/Condition.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace touchstone::symbols {

/// Assignments for a Fitting, the given one first: `count` in all, fewer where the conditions leave no more. They are between 2
/// and `most`, and irregular: the order of symbols changes, and no two have one sum, difference or quotient in all. From the
/// second on each symbol in turn is as small as it may be, and behind the third each is 2, 3, 4 and 5 in turn; in the third all
/// are large and odd. `conditions`: what must hold under each.
std::vector<Assignment> assignmentsLike(const Assignment& hints, size_t count, const std::vector<Condition>& conditions,
                                        int64_t most = 40);

/// What `most` may be for tensors of so many dimensions: they are made and traced, so that products of many sizes stay small.
int64_t largestSize(size_t dimensions);

} // namespace touchstone::symbols
