#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/CompiledFrame.h"

#include <memory>
#include <vector>

namespace touchstone::backends {

/// A compiler of forward and backward Graphs whose result, when a CallTrace records its call, is one node
/// `invoke_subgraph` that holds the Graph; otherwise it runs as boxedNop()'s does.
std::shared_ptr<const CompiledGraph> compileToInvocation(graph::Graph graph, const std::vector<at::Tensor>& examples);

/// The `invoke_subgraph` compiler: AOT autograd with forward and backward Graphs of that kind.
GraphCompiler invokeSubgraphCompiler(AotOptions options = {});

/// The Graph that a node `invoke_subgraph` of `graph` runs; null for any other node.
const graph::Graph* invokedSubgraph(const graph::Graph& graph, const graph::Node& node);

} // namespace touchstone::backends
