#pragma once

#include "program/values/CompiledProgram.h"

#include <functional>
#include <memory>

namespace touchstone::substitutes {

/// A Program that `compile` takes anew for each call: no call is served by what was compiled for another one, nor finds what
/// another one has left. What `compile` refers to outlives it.
std::unique_ptr<values::CompiledProgram> freshPrograms(
    std::function<std::unique_ptr<values::CompiledProgram>()> compile);

} // namespace touchstone::substitutes
