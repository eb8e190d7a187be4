#pragma once

#include "backends/GraphCompiler.h"
#include "backends/aot_autograd/AotOptions.h"
#include "graph/ir/PassGate.h"

#include <memory>
#include <vector>

namespace touchstone::debugging {

// Compilers that are wrong on purpose, so that whoever looks for faults can be tested. A relu is the operator `aten::relu`,
// however the Program spells it; `relu_` is none.

/// Raises ReluCompileError for a Graph with a relu.
std::shared_ptr<const backends::CompiledGraph> reluCompileError(ir::Graph graph,
                                                                const std::vector<at::Tensor>& examples);
/// Raises an AssertionError, `ReluRuntimeError`, where the Graph comes to a relu.
std::shared_ptr<const backends::CompiledGraph> reluRuntimeError(ir::Graph graph,
                                                                const std::vector<at::Tensor>& examples);
/// Adds 1 where the Graph has a relu.
std::shared_ptr<const backends::CompiledGraph> reluAccuracyError(ir::Graph graph,
                                                                 const std::vector<at::Tensor>& examples);
/// The same as a pass, `relu_to_add`, that asks a gate about each relu.
backends::GraphCompiler gatedReluAccuracyError(std::shared_ptr<ir::PassGate> gate);
/// Writes one element behind the end of the memory of a relu's result: only for a process whose allocator leaves room there.
std::shared_ptr<const backends::CompiledGraph> reluOutOfBounds(ir::Graph graph,
                                                               const std::vector<at::Tensor>& examples);
/// Gives a relu's result the values of memory that nobody has written.
std::shared_ptr<const backends::CompiledGraph> reluUninitialized(ir::Graph graph,
                                                                 const std::vector<at::Tensor>& examples);
/// AOT autograd with the min-cut partition, as `aot_eager` has it, whose Graphs add 1 to what `kRareOperator` gives: about one
/// random Case in two hundred has that operator.
constexpr const char* kRareOperator = "aten::angle";
backends::GraphCompiler rareAccuracyError(aot_autograd::AotOptions options = {});
/// Raises TestingOnlyCompileError for a Graph with an operation and an example that is no leaf.
std::shared_ptr<const backends::CompiledGraph> nonLeafCompileError(ir::Graph graph,
                                                                   const std::vector<at::Tensor>& examples);

} // namespace touchstone::debugging
