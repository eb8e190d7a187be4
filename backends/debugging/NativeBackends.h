#pragma once

#include "backends/Backend.h"
#include "backends/capture/Capture.h"
#include "graph/ir/StageArtifacts.h"

#include <memory>
#include <vector>

namespace touchstone::backends {

/// A native backend: capture with guards, and the compiler that its name stands for. Hooks see its stages in the order in
/// which they run; `eager` has the stage `captured` alone. `options.compiler` is what the name says. Throws
/// std::invalid_argument for a name that is no native backend's.
std::unique_ptr<Backend> makeNativeBackend(const graph::BackendInfo& info,
                                           std::vector<std::shared_ptr<graph::StageHook>> hooks = {},
                                           CaptureOptions options = {});

/// A backend of another compiler, under a name of its own.
std::unique_ptr<Backend> makeCapturingBackend(const graph::BackendInfo& info, CaptureOptions options);

/// Makes the native family available in this process.
void registerNativeBackends();

} // namespace touchstone::backends
