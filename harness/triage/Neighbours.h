#pragma once

#include "harness/pool/WorkerPool.h"
#include "harness/worker/Symptom.h"
#include "program/language/Case.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::triage {

/// A Case that differs from another in one edit.
struct Neighbour {
  language::Case theCase;
  std::string edit; // `statements`, `a clone instead`
};

/// What the passes of the reducer make of it in one step, and what small substitutions do: another operator of the same kind, a
/// clone, a view or ones instead of an operand, not in place, another order, other flags, arguments that share nothing, no
/// backward, no gradient, another dtype. Each text once, `most` at most: the first of each edit, then the second, … Some are
/// invalid: the judge tells.
std::vector<Neighbour> neighboursOf(const language::Case& theCase, size_t most);

/// The substitutions alone.
std::vector<Neighbour> substitutionsIn(const language::Case& theCase);

enum class NeighbourOutcome {
  kBehaves,
  kShows, // the symptom that the suppression is for
  kFails, // in the same way: by the same origin, and a difference as that is one, or an exception, or a crash
  kNeither // tells nothing: another failure, a bug of a weaker pipeline, a Case that is not judged
};
/// What becomes of each Case under a backend.
using NeighbourJudge = std::function<std::vector<NeighbourOutcome>(const std::vector<language::Case>&)>;
/// Holds what each Case shows under the symptom's backend against the symptom. Throws Interrupted.
NeighbourJudge neighbourJudge(pool::WorkerPool& pool, const worker::Symptom& symptom);

/// What the Case shows under the backend; none: it is no finding there. Throws Interrupted.
std::optional<worker::Symptom> symptomUnder(pool::WorkerPool& pool, const std::string& backend,
                                            const language::Case& theCase);

} // namespace touchstone::triage
