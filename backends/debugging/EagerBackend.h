#pragma once

#include "backends/Backend.h"
#include "backends/capture/StraightLineCapture.h"
#include "graph/ir/StageArtifacts.h"

#include <functional>

namespace touchstone::backends {

/// The native `eager` backend: captures a Program as a straight-line Graph, once for each specialization, and runs the
/// Graph node by node on the caller's tensors with autograd on. Nothing is optimized; what it tests is capture and the
/// Interpreter. A Program that cannot be captured as straight-line code is Unsupported, with the reason; one that raises
/// runs eagerly, so that the exception is eager's. A capture that raises where the Program does not is a defect, and its
/// exception reaches the caller.
using Capture = std::function<graph::Graph(const graph::Case& theCase, const graph::ValueList& arguments)>;
std::unique_ptr<Backend> makeEagerBackend(const graph::BackendInfo& info, Capture capture = captureStraightLine);

/// A native backend whose stages these hooks see, in the order in which they run; `eager` has the stage `captured` alone.
/// Throws std::invalid_argument for a name that is no native backend's.
std::unique_ptr<Backend> makeNativeBackend(const graph::BackendInfo& info,
                                           std::vector<std::shared_ptr<graph::StageHook>> hooks = {});

/// Makes the native family available in this process.
void registerNativeBackends();

} // namespace touchstone::backends
