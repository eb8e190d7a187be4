#pragma once

#include "oracles/observe/Observation.h"

namespace touchstone::observe {

/// The exception that is being handled, as one of this phase where it names none itself. Only inside a catch block.
ExceptionObservation observeException(const char* phase);

} // namespace touchstone::observe
