#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/AotOptions.h"

#include <memory>
#include <vector>

namespace touchstone::debugging {

/// A compiler of forward and backward Graphs whose result, when a CallTrace records its call, is one node
/// `invoke_subgraph` that holds the Graph; otherwise it runs as boxedNop()'s does.
std::shared_ptr<const backends::CompiledGraph> compileToInvocation(ir::Graph graph,
                                                                   const std::vector<at::Tensor>& examples);

/// AOT autograd, as the options have it, with forward and backward Graphs of that kind.
backends::GraphCompiler invokeSubgraphCompiler(aot_autograd::AotOptions options = {});

/// The Graph that a node `invoke_subgraph` of `graph` runs; null for any other node.
const ir::Graph* invokedSubgraph(const ir::Graph& graph, const ir::Node& node);

} // namespace touchstone::debugging
