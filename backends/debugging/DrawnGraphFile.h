#pragma once

#include "graph/ir/Graph.h"

#include <filesystem>

namespace touchstone::debugging {

/// Draws a Graph into `name`.svg by Graphviz, or, where this machine has none, into `name`.dot; with a number behind the name (`name`_1.svg)
/// where there is such a file. Without `metadata` nodes have no dtypes and sizes. Returns the file. Throws
/// std::runtime_error when it cannot be written.
std::filesystem::path drawGraphInto(const std::filesystem::path& name, const ir::Graph& graph, bool metadata = true);

} // namespace touchstone::debugging
