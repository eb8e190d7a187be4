#pragma once

#include "backends/Backend.h"
#include "backends/PipelineObserver.h"
#include "backends/capture/Capture.h"

#include <memory>

namespace touchstone::native {

/// A native backend: capture with guards, and the compiler of its name (BackendTable.h; of others compilerRegistry()), given
/// the options of the Case. Observers see its stages in the order in which they run; those that do not go through AOT autograd
/// have the stage `captured`, `pre_dispatch_eager` also `pre_dispatch`. `options.compiler` is what the name says. Throws
/// std::invalid_argument for a name that is no compiler's.
std::unique_ptr<backends::Backend> makeNativeBackend(const ir::BackendInfo& info,
                                                     backends::PipelineObservers observers = {},
                                                     capture::CaptureOptions options = {});

/// A backend of another compiler, under a name of its own. Options of a Case are reported: the compiler knows none.
std::unique_ptr<backends::Backend> makeCapturingBackend(const ir::BackendInfo& info, capture::CaptureOptions options);

/// Makes the native family available in this process: its names (backends::builtInBackends()), its compilers
/// (debugging::compilerRegistry()) and its backends (backends::makeBackend()). To be called before anything asks for them, and
/// before a second thread begins; again it registers the factory alone.
void registerNativeBackends();

} // namespace touchstone::native
