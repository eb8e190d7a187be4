#pragma once

#include "graph/ir/Graph.h"

#include <string>

namespace touchstone::backends {

/// The `graph.py` of a part of a folder of Graphs: the Graph as a function that PyTorch runs (graph/runtime/RunnableCode.h), and a main
/// program that runs it on `values.bin` or on inputs like `inputs.json` beside it: see GraphFolder. It needs nothing but PyTorch.
std::string pythonFile(const graph::Graph& graph, const std::string& part, const std::string& pipeline);

} // namespace touchstone::backends
