#pragma once

#include "backends/GraphCompiler.h"
#include "include/touchstone/backend.h"

namespace touchstone::shared_library {

/// Has a library compile the Graph. Throws what the library says: ir::Unsupported, values::RaisedException, or what a function of
/// touchstone_host threw. Where it declines, the Graph runs node by node, which is no compiled code.
std::shared_ptr<const backends::CompiledGraph> compileShared(const touchstone_backend& backend, ir::Graph graph,
                                                             const std::vector<at::Tensor>& examples,
                                                             touchstone_role role);

} // namespace touchstone::shared_library
