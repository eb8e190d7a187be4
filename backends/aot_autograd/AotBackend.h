#pragma once

#include "backends/Backend.h"
#include "backends/aot_autograd/CompiledFrame.h"

#include <memory>

namespace touchstone::backends {

/// The native AOT autograd pipeline behind the Backend interface: `aot_eager` and `aot_eager_default_partitioner`. A frame
/// is compiled for each exact set of arguments. A Program that raises runs eagerly, so that the exception and what was
/// written before it are eager's.
std::unique_ptr<Backend> makeAotBackend(const graph::BackendInfo& info, AotOptions options = {});

} // namespace touchstone::backends
