#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/AotOptions.h"

namespace touchstone::aot_autograd {

/// The native AOT autograd pipeline as a compiler of captured Graphs: `aot_eager` and `aot_eager_default_partitioner`.
/// Where the compiled forward raises because of the values that it gets, the Graph runs node by node instead, so that the
/// exception and what was written before it are eager's.
backends::GraphCompiler aotCompiler(AotOptions options = {});

} // namespace touchstone::aot_autograd
