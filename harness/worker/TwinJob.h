#pragma once

#include "harness/worker/Job.h"
#include "program/language/Case.h"

namespace touchstone::worker {

/// Compiles the first call of a Case under the native `aot_eager` and under `torch:aot_eager`, and holds what the stages of
/// the two left against each other, and the real one's partitions against the laws of a partition. To be called in a child
/// of a worker that has both.
TwinResult runTwins(const language::Case& theCase);

} // namespace touchstone::worker
