#pragma once

#include "backends/compiled_autograd/BackwardCache.h"
#include "backends/compiled_autograd/CompiledAutograd.h"

namespace touchstone::compiled_autograd {

/// The Graphs of a backward as one, to be shown: what runs between them are callables, without what they call.
ir::CapturedBackward wholeOf(const SpecializedBackward& backward);

} // namespace touchstone::compiled_autograd
