#pragma once

#include "backends/GraphCompiler.h"
#include "backends/compiled_autograd/ScalarMove.h"

namespace touchstone::compiled_autograd {

/// A Graph of a backward, compiled: by `compiler`, or, if that is null, to run node by node below autograd and autocast. What runs
/// sees no tensor that requires grad: gradients are not recorded. `moves`: scalars that the compiler gets on the accelerator, and
/// what it makes of the Graph at each run.
std::shared_ptr<const backends::CompiledGraph> compileSegment(ir::Graph graph, const std::vector<at::Tensor>& examples,
                                                              const backends::GraphCompiler& compiler,
                                                              ScalarMoves moves = {});

} // namespace touchstone::compiled_autograd
