#pragma once

#include "backends/compiled_autograd/BackwardGraph.h"
#include "backends/compiled_autograd/BackwardKey.h"
#include "backends/compiled_autograd/BackwardTrace.h"
#include "backends/compiled_autograd/SymbolicBackward.h"

#include <memory>
#include <set>

namespace touchstone::compiled_autograd {

/// Captures a backward from `start` to its end: see traceBackward(). `eager`: nodes that are not traceable; those that are
/// found here are added. The Graph is below autograd and autocast, with what nodes write in place.
BackwardGraph captureBackward(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                              const CaptureStart& start, std::set<size_t>& eager);

/// Captures a whole backward in which no gradient waits, with its symbols under each assignment of their fitting. Throws
/// symbols::NotSymbolic where that gives more than other numbers, and what a node throws for other sizes.
std::shared_ptr<const SymbolicBackward> captureForSymbols(const BackwardTask& task, BackwardKey& key,
                                                          const BackwardSymbols& symbols, std::set<size_t>& eager);

/// Lets libtorch's nodes be traced in this process. Throws c10::Error where libtorch_python has taken that place.
void linkCapture();

} // namespace touchstone::compiled_autograd
