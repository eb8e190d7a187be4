#pragma once

#include "backends/GraphCompiler.h"
#include "backends/compiled_autograd/ScalarMove.h"

namespace touchstone::backends {

/// A Graph of a backward, compiled: by `compiler`, or, if that is null, to run node by node below autograd and autocast. What runs
/// sees no tensor that requires grad: gradients are not recorded. `moves`: scalars that the compiler gets on the accelerator, and
/// what it makes of the Graph at each run.
std::shared_ptr<const CompiledGraph> compileSegment(graph::Graph graph, const std::vector<at::Tensor>& examples,
                                                    const GraphCompiler& compiler, ScalarMoves moves = {});

} // namespace touchstone::backends
