#pragma once

#include "backends/aot_autograd/AotOptions.h"

#include <touchstone/aot.h>

namespace touchstone::aot {

/// The options as the pipeline takes them.
aot_autograd::AotOptions pipelineOptions(const Options& options);
fake::Backing backingOf(const Options& options);
/// A Graph in the form that somebody else's compiler gave it, which is held to the number of its outputs.
std::shared_ptr<const backends::CompiledGraph> foreignGraph(const ir::Graph& graph, GraphFunction function);

} // namespace touchstone::aot
