#pragma once

#include "graph/runtime/Interpreter.h"
#include "graph/symbols/Fitting.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace touchstone::backends {

/// What compiled code took for granted of an input, beyond what guards always check: dtype, device, sizes, strides,
/// dispatch keys, requires_grad.
enum class Assumption {
  kNone,
  kMemory, // offset, bytes, leaf, view and its base, version counter, and which other inputs lie in the same memory
};

class CompiledGraph;

/// A Graph as it was captured for some sizes.
struct GraphSample {
  ir::Graph graph;
  std::vector<at::Tensor> examples; // by placeholder
};

/// A Graph that was compiled for symbols: its compiled form for any sizes that its guards allow.
class SymbolicCompiledGraph {
 public:
  virtual ~SymbolicCompiledGraph() = default;
  /// For the call that these are the sizes of. Nothing is traced again. Thread-safe.
  virtual std::shared_ptr<const CompiledGraph> at(const symbols::Assignment& assignment) const = 0;
  /// The Graph with expressions in the place of sizes; for people.
  virtual std::string text() const = 0;
};

/// A Graph in compiled form.
class CompiledGraph {
 public:
  virtual ~CompiledGraph() = default;
  /// Takes a tensor for each placeholder, out of the caller's hands, so that each is freed when nothing reads it any more
  /// (the boxed calling convention). Returns the Graph's outputs, which are a flat tuple; undefined for None. Several
  /// threads may run it at once.
  virtual std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const = 0;
  /// False: running it is running the Graph eagerly, which is no evidence that something was compiled.
  virtual bool isCompiled() const { return true; }
  /// By placeholder; empty: nothing.
  virtual std::vector<Assumption> assumptions() const { return {}; }
  /// The Graph that this was compiled of, for symbols. `others`: as it was captured under the further assignments of the
  /// fitting, with examples; this is for the first. Throws symbols::NotSymbolic where it cannot be: always, of a form that has
  /// its sizes built in.
  virtual std::shared_ptr<const SymbolicCompiledGraph> forSymbols(const std::vector<GraphSample>& others,
                                                                  symbols::Fitting& fitting) const;
};

/// Compiles a captured Graph. `examples`: the tensors of the call that it was captured for, by placeholder; they stay as
/// they are. Throws ir::Unsupported for a Graph that it cannot take.
using GraphCompiler =
    std::function<std::shared_ptr<const CompiledGraph>(ir::Graph graph, const std::vector<at::Tensor>& examples)>;

/// Examples of a Graph without values: what its placeholders look like, on the meta device.
std::vector<at::Tensor> metaExamples(const ir::Graph& graph);

/// A Graph in the form of a function.
std::shared_ptr<const CompiledGraph> graphOf(std::function<std::vector<at::Tensor>(std::vector<at::Tensor>)> run);
/// The Graph runs node by node; `mode` sees each call, null: none does.
std::shared_ptr<const CompiledGraph> interpreted(ir::Graph graph,
                                                 runtime::NodeState state = runtime::NodeState::kRecorded,
                                                 std::shared_ptr<runtime::CallMode> mode = nullptr);
/// The same with autograd on: the `eager` compiler.
std::shared_ptr<const CompiledGraph> compileToInterpreter(ir::Graph graph, const std::vector<at::Tensor>& examples);

} // namespace touchstone::backends
