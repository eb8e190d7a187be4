#pragma once

#include "backends/GraphCompiler.h"
#include "graph/symbols/SymbolicGraph.h"

#include <memory>

namespace touchstone::capture {

/// What the Graph was compiled to already.
struct FirstSizes {
  symbols::Assignment assignment;
  std::shared_ptr<const backends::CompiledGraph> compiled;
};

/// A captured Graph for symbols by a compiler that builds sizes in: captured once, it is compiled for each sizes when it first
/// runs with them.
std::shared_ptr<const backends::SymbolicCompiledGraph> compiledForEachSizes(symbols::SymbolicGraph graph,
                                                                            backends::GraphCompiler compiler,
                                                                            FirstSizes first);

} // namespace touchstone::capture
