#pragma once

#include "backends/GraphCompiler.h"
#include "graph/runtime/CallMode.h"

#include <memory>

namespace touchstone::debugging {

/// The `boxed_nop` compiler of forward and backward Graphs: node by node, in the caller's grad mode, each tensor freed as
/// soon as no later node reads it. `mode` sees each call; null: none.
backends::GraphCompiler boxedNop(std::shared_ptr<runtime::CallMode> mode = nullptr);

} // namespace touchstone::debugging
