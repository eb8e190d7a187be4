#pragma once

#include "program/language/Case.h"
#include "harness/worker/Job.h"

namespace touchstone::harness {

/// Compiles the first call of a Case under the native `aot_eager` and under `torch:aot_eager`, and holds what the stages of
/// the two left against each other, and the real one's partitions against the laws of a partition. To be called in a child
/// of a worker that has both.
TwinResult runTwins(const graph::Case& theCase);

} // namespace touchstone::harness
