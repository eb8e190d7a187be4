#pragma once

#include "graph/ir/Graph.h"

#include <string>

namespace touchstone::graph_files {

/// The `graph.py` of a part of a folder of Graphs: the Graph as a function that PyTorch runs (graph/runtime/RunnableCode.h), and a main
/// program that runs it on `values.bin` or on inputs like `inputs.json` beside it: see GraphFolder. It needs nothing but PyTorch.
std::string pythonFile(const ir::Graph& graph, const std::string& part, const std::string& pipeline);

} // namespace touchstone::graph_files
