#pragma once

#include "include/touchstone/backend.h"
#include "backends/GraphCompiler.h"

namespace touchstone::backends {

/// Has a library compile the Graph. Throws what the library says: graph::Unsupported, graph::RaisedException, or what a function of
/// touchstone_host threw. Where it declines, the Graph runs node by node, which is no compiled code.
std::shared_ptr<const CompiledGraph> compileShared(const touchstone_backend& backend, graph::Graph graph,
                                                   const std::vector<at::Tensor>& examples, touchstone_role role);

} // namespace touchstone::backends
