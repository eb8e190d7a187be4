#pragma once

#include "graph/program/Case.h"
#include "harness/WorkerPool.h"

#include <functional>
#include <string>
#include <vector>

namespace touchstone::harness {

/// A Case that differs from another in one edit.
struct Neighbour {
  graph::Case theCase;
  std::string edit; // `statements`, `a clone instead`
};

/// What the passes of the reducer make of it in one step, and what small substitutions do: another operator of the same kind, a
/// clone, a view or ones instead of an operand, not in place, another order, other flags, arguments that share nothing, no
/// backward, no gradient, another dtype. Each text once, `most` at most: the first of each edit, then the second, … Some are
/// invalid: the judge tells.
std::vector<Neighbour> neighboursOf(const graph::Case& theCase, size_t most);

/// The substitutions alone.
std::vector<Neighbour> substitutionsIn(const graph::Case& theCase);

enum class NeighbourOutcome { kBehaves, kFails, kNeither };
/// What becomes of each Case under a backend.
using NeighbourJudge = std::function<std::vector<NeighbourOutcome>(const std::vector<graph::Case>&)>;
/// Agreed behaves, a finding fails; anything else, a bug of a weaker pipeline included, tells nothing. Throws Interrupted.
NeighbourJudge neighbourJudge(WorkerPool& pool, const std::string& backend);

} // namespace touchstone::harness
