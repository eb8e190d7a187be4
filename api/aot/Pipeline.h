#pragma once

#include "backends/aot_autograd/CompiledFrame.h"

#include <touchstone/aot.h>

namespace touchstone::aot {

/// The options as the pipeline takes them.
backends::AotOptions pipelineOptions(const Options& options);
backends::Beneath beneathOf(const Options& options);

} // namespace touchstone::aot
