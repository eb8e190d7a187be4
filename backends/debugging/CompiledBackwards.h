#pragma once

#include "backends/compiled_autograd/CompiledAutograd.h"
#include "program/values/CompiledProgram.h"

#include <memory>

namespace touchstone::debugging {

/// A Program of a native backend whose backwards can be compiled, too: CompiledProgram::compiledAutograd() opens a scope, and the
/// report tells what came of it. reset() drops compiled backwards as well.
std::unique_ptr<values::CompiledProgram> withCompiledBackwards(std::unique_ptr<values::CompiledProgram> program,
                                                               compiled_autograd::CompiledAutogradOptions options);

} // namespace touchstone::debugging
