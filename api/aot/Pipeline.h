#pragma once

#include "backends/aot_autograd/AotOptions.h"

#include <touchstone/aot.h>

namespace touchstone::aot {

/// The options as the pipeline takes them.
aot_autograd::AotOptions pipelineOptions(const Options& options);
fake::Backing backingOf(const Options& options);

} // namespace touchstone::aot
