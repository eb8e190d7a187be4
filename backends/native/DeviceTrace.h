#pragma once

#include "backends/PipelineObserver.h"
#include "program/language/Case.h"
#include "program/values/Value.h"

#include <c10/core/Device.h>

#include <string>

namespace touchstone::native {

/// What the AOT pipeline `backend` makes of a Case's program when all tensors among the arguments are on `device`, which need
/// not be there: traced without values, compiled, and not run. Observers see the stages. The arguments stay as they are.
///
/// Throws what the program raises on that device as far as metadata tell; ir::Unsupported for what cannot be traced
/// without values, such as control flow on data: observers then have seen the Graph up to there. std::invalid_argument for a
/// name that is no AOT pipeline's.
void traceOnDevice(const language::Case& theCase, const values::ValueList& arguments, const std::string& backend,
                   c10::Device device, backends::PipelineObservers observers);

/// A device by its name, to be traced for by that backend. Throws std::invalid_argument for a name that is no device's or no
/// AOT pipeline's.
c10::Device deviceToTrace(const std::string& name, const std::string& backend);

} // namespace touchstone::native
