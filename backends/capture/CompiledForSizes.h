#pragma once

#include "backends/GraphCompiler.h"
#include "graph/symbols/SymbolicGraph.h"

#include <memory>

namespace touchstone::capture {

/// A captured Graph for symbols by a compiler that builds sizes in: captured once, it is compiled for each sizes when it first
/// runs with them. `like`: what it was compiled to for the first ones.
std::shared_ptr<const backends::SymbolicCompiledGraph> compiledForEachSizes(
    symbols::SymbolicGraph graph, backends::GraphCompiler compiler,
    std::shared_ptr<const backends::CompiledGraph> like);

} // namespace touchstone::capture
