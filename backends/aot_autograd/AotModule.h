#pragma once

#include "backends/GraphCompiler.h"
#include "backends/fake/Tracer.h"

namespace touchstone::backends {

struct AotModuleOptions {
  /// What compiles the forward and the backward Graph: these have no writes, and their examples are zeros. None: they run
  /// node by node, as does a backward for tangents of another layout than the outputs have.
  GraphCompiler forwardCompiler, backwardCompiler;
  /// Check each call's inputs against those that the module was compiled for, duplicates among them included, and raise
  /// (RaisedException, AssertionError) where they differ. Otherwise that is the caller's promise.
  bool debugAssert = false;
  Beneath beneath = Beneath::kValues;
};

/// One Graph through AOT autograd, without guards and without a cache: the role of aot_module_simplified. An example that
/// occurs twice is one input of what is compiled. Throws graph::Unsupported, and what the Graph raises.
std::shared_ptr<const CompiledGraph> aotModuleSimplified(graph::Graph graph, const std::vector<at::Tensor>& examples,
                                                         const AotModuleOptions& options = {});

/// What becomes of writes to inputs.
enum class ExportedWrites {
  kRefused, // as aot_export_joint_simple
  kReturned, // what each written input holds at the end comes before the outputs, as aot_export_module has it
};

/// The Graph below autograd and without writes, as data: the role of aot_export_joint_simple. With `traceJoint` the
/// tangents of the outputs that require grad follow the placeholders, and the gradient of each input (None: it requires
/// none) follows the outputs. A backward node has the sequence number of the forward node whose gradient it computes.
/// Throws graph::Unsupported for writes that are refused, inputs that share memory, outputs that are inputs or views, and what
/// the Graph raises, its backward included.
graph::Graph aotExportJointSimple(const graph::Graph& graph, const std::vector<at::Tensor>& examples, bool traceJoint,
                                  Beneath beneath = Beneath::kValues, ExportedWrites writes = ExportedWrites::kRefused);

} // namespace touchstone::backends
