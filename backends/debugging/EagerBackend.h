#pragma once

#include "backends/Backend.h"

namespace touchstone::backends {

/// The native `eager` backend: captures a Program as a straight-line Graph, once for each specialization, and runs the
/// Graph node by node on the caller's tensors with autograd on. Nothing is optimized; what it tests is capture and the
/// Interpreter. A Program that cannot be captured as straight-line code is Unsupported, with the reason.
std::unique_ptr<Backend> makeEagerBackend(const graph::BackendInfo& info);

/// Makes the native family available in this process.
void registerNativeBackends();

} // namespace touchstone::backends
