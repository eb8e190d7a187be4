#pragma once

#include "backends/compiled_autograd/BackwardCache.h"
#include "backends/compiled_autograd/CompiledAutograd.h"

namespace touchstone::backends {

/// The Graphs of a backward as one, to be shown: what runs between them are callables, without what they call.
graph::CapturedBackward wholeOf(const SpecializedBackward& backward);

} // namespace touchstone::backends
