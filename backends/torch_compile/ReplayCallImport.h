#pragma once

#include "program/values/ReplayCall.h"

#include <string>
#include <vector>

namespace touchstone::torch_compile {

/// Reads what `bridge/stage_calls.py` has kept of the runs of compiled Graphs. `tensors`: those that the text refers to.
/// Throws nlohmann's exceptions and std::out_of_range when the text is not what the bridge writes.
std::vector<values::ReplayCall> importReplayCalls(const std::string& json, const std::vector<at::Tensor>& tensors);

} // namespace touchstone::torch_compile
