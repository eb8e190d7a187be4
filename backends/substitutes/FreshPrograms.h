#pragma once

#include "backends/Backend.h"

#include <memory>

namespace touchstone::substitutes {

/// A Program that the backend takes anew for each call: no call is served by what was compiled for another one, nor finds what
/// another one has left. The backend and the Case outlive it.
std::unique_ptr<values::CompiledProgram> freshPrograms(backends::Backend& backend, const language::Case& theCase);

} // namespace touchstone::substitutes
