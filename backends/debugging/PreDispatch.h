#pragma once

#include "backends/GraphCompiler.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::debugging {

/// A Graph recorded anew above autograd, by running another one on fake copies of `examples`: the role of
/// `make_fx(pre_dispatch=True)`. `used`: the other Graph's placeholders that this one has, in order.
struct RetracedGraph {
  ir::Graph graph;
  std::vector<size_t> used;
};
RetracedGraph retraceAboveAutograd(const ir::Graph& graph, const std::vector<at::Tensor>& examples);

/// The `pre_dispatch_eager` compiler: retraces the Graph, hands it with its readable code to `onGraph`, and runs it.
backends::GraphCompiler preDispatchEager(std::function<void(ir::Graph& graph, const std::string& code)> onGraph);
/// The same, which prints the code to standard output.
backends::GraphCompiler preDispatchEager();

} // namespace touchstone::debugging
