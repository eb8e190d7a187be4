#pragma once

#include "backends/fake/Tracer.h"
#include "graph/ir/Graph.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace touchstone::decompositions {
class DecompositionTable;
}

namespace touchstone::aot_autograd {

/// What becomes of writes to inputs.
enum class ExportedWrites {
  kRefused, // as aot_export_joint_simple
  kReturned, // what each written input holds at the end comes before the outputs, as aot_export_module has it
};

/// How a Graph is exported.
struct ExportManner {
  /// The gradient of each output is ones, made in the Graph, which takes no tangents (torch/_functorch/aot_autograd.py,
  /// _aot_export_function, no_tangents).
  bool noTangents = false;
  /// Views stand, and values are saved, where PyTorch has them: see TorchTracing.
  bool asPyTorch = false;
};

/// The Graph below autograd and without writes, as data: the role of aot_export_joint_simple. With `traceJoint` the
/// tangents of the outputs that require grad follow the placeholders, and the gradient of each input (None: it requires
/// none) follows the outputs. A backward node has the sequence number of the forward node whose gradient it computes.
/// Calls that `decompositions` has are replaced; null: none. Throws ir::Unsupported for writes that are refused, inputs that share memory, outputs that are inputs or views, and what
/// the Graph raises, its backward included.
ir::Graph aotExportJointSimple(const ir::Graph& graph, const std::vector<at::Tensor>& examples, bool traceJoint,
                               fake::Backing backing = fake::Backing::kValues,
                               ExportedWrites writes = ExportedWrites::kRefused,
                               std::shared_ptr<const decompositions::DecompositionTable> decompositions = nullptr,
                               ExportManner manner = {});

} // namespace touchstone::aot_autograd
