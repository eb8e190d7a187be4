#pragma once

#include "backends/aot_autograd/CompiledFrame.h"
#include "backends/debugging/CompilerRegistry.h"

#include <string>

namespace touchstone::backends {

/// Registers every debugging compiler under its name, with the tag `debug`; those that are wrong on purpose have the tag
/// `wrong` as well.
void addBuiltInCompilers(CompilerRegistry& registry);

/// AOT autograd under a name, with its options: `fake_tensor_crossref` (`'all'` or `True`, `'custom_ops'`) and `debug_interpreter`
/// (`True`). Throws std::invalid_argument for other values of these.
CompilerFunction aotCompilerWithOptions(std::string name, AotOptions options = {});

} // namespace touchstone::backends
