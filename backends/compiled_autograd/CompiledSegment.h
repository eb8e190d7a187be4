#pragma once

#include "backends/GraphCompiler.h"

namespace touchstone::backends {

/// A Graph of a backward, compiled: by `compiler`, or, if that is null, to run node by node below autograd and autocast. What runs
/// sees no tensor that requires grad: gradients are not recorded.
std::shared_ptr<const CompiledGraph> compileSegment(graph::Graph graph, const std::vector<at::Tensor>& examples,
                                                    const GraphCompiler& compiler);

} // namespace touchstone::backends
