#pragma once

#include "backends/compiled_autograd/BackwardGraph.h"
#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTrace.h"

#include <set>

namespace touchstone::compiled_autograd {

/// Captures a backward from `start` to its end: see traceBackward(). `eager`: nodes that are not traceable; those that are
/// found here are added. The Graph is below autograd and autocast, with what nodes write in place.
BackwardGraph captureBackward(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                              const CaptureStart& start, std::set<size_t>& eager);

/// Lets libtorch's nodes be traced in this process. Throws c10::Error where libtorch_python has taken that place.
void linkCapture();

} // namespace touchstone::compiled_autograd
