#pragma once

#include "backends/faults/NativeFault.h"

#include <memory>

namespace touchstone::faults {

/// What plants a fault in a pipeline that has its stage. `fault` outlives it.
std::shared_ptr<backends::PipelineObserver> observerOf(const NativeFault& fault);

} // namespace touchstone::faults
