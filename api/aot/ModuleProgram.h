#pragma once

#include "backends/capture/CallableCapture.h"

#include <touchstone/aot.h>

namespace touchstone::aot {

/// The module's forward as a program that holds the module's parameters, then its buffers; it keeps the module alive.
/// Throws c10::ValueError where one of the two is null.
capture::CallableProgram moduleProgram(std::shared_ptr<torch::nn::Module> module, Function forward);

} // namespace touchstone::aot
