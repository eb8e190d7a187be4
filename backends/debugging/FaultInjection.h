#pragma once

#include "backends/GraphCompiler.h"

#include <memory>
#include <vector>

namespace touchstone::backends {

// Compilers that are wrong on purpose, so that whoever looks for faults can be tested. A relu is the operator `aten::relu`,
// however the Program spells it; `relu_` is none.

/// Raises ReluCompileError for a Graph with a relu.
std::shared_ptr<const CompiledGraph> reluCompileError(graph::Graph graph, const std::vector<at::Tensor>& examples);
/// Raises an AssertionError, `ReluRuntimeError`, where the Graph comes to a relu.
std::shared_ptr<const CompiledGraph> reluRuntimeError(graph::Graph graph, const std::vector<at::Tensor>& examples);
/// Adds 1 where the Graph has a relu.
std::shared_ptr<const CompiledGraph> reluAccuracyError(graph::Graph graph, const std::vector<at::Tensor>& examples);
/// Raises TestingOnlyCompileError for a Graph with an operation and an example that is no leaf.
std::shared_ptr<const CompiledGraph> nonLeafCompileError(graph::Graph graph, const std::vector<at::Tensor>& examples);

} // namespace touchstone::backends
