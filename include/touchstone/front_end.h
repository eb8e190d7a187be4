#pragma once

#include <touchstone/aot.h>

#include "graph/ir/SplitGraph.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::capture {
class SymbolicTrace;
}

/// What tests of compilers want of a front end. The rest of it is in aot.h: Options::onGuardFailure and debugAssert,
/// CompiledFunction::report(), capture() and aotExportJointSimple() for Graphs as data. All of it makes one Graph or throws
/// ir::Unsupported, as `fullgraph=True` has it.
namespace touchstone::aot {

/// A Compiler that counts what it is given, then leaves it to another one: torch/_dynamo/testing.py, CompileCounter and
/// CompileCounterWithBackend. Copies count together; several threads may use them at once.
class CompileCounter {
 public:
  explicit CompileCounter(Compiler compiler = nullptr); // null: Graphs are run node by node
  GraphFunction operator()(const ir::Graph& graph, const Tensors& examples) const;

  int64_t frames() const; // Graphs
  int64_t operations() const; // calls in them
  std::vector<ir::Graph> graphs() const;
  void clear();

 private:
  struct Count;
  std::shared_ptr<Count> count_;
};

/// A Graph cut into parts by ir::splitGraph(), each compiled for what the parts before it make of `examples`, which stay as
/// they are; the parts are run in turn: torch/fx/passes/split_module.py. Throws what that throws, ir::Unsupported where a part
/// hands on what is no tensor, and what the compiler throws.
GraphFunction splitModule(const ir::Graph& graph, const std::function<int(const ir::Node& node)>& partitionOf,
                          const Compiler& compiler, const Tensors& examples);

/// On what a function is traced.
enum class TracingMode {
  kReal, // tensors with the values of the examples
  kFake, // tensors with sizes and strides alone
};

/// What the function calls below autograd, in order and with its writes, as a Graph of its arguments: make_fx of
/// torch/fx/experimental/proxy_tensor.py with `tracing_mode`. The examples stay as they are. Throws as capture() does; with kFake
/// also ir::Unsupported for what cannot be traced without values.
ir::Graph makeGraph(const Function& function, const Tensors& examples, TracingMode mode = TracingMode::kReal);

/// The same with `tracing_mode="symbolic"`: sizes of the examples are symbols, but 0 and 1, and equal ones are one symbol. The
/// function is traced without values for a few sizes, and the Graphs are fitted to one (docs/symbolic_sizes.md). Throws as
/// makeGraph() with kFake. Copies share what they hold.
class SymbolicGraph {
 public:
  SymbolicGraph(const Function& function, const Tensors& examples);
  /// The Graph with `s0` and what is computed from symbols in the place of numbers.
  std::string code() const;
  /// What sizes the Graph holds for: `2 <= s0`; and which kept their number, and why: `L['x0'].size()[0] == 3: …`.
  const std::vector<std::string>& guards() const;
  /// As it would have been made for these tensors; nothing is traced. Throws ir::Unsupported for tensors that guards refuse.
  ir::Graph at(const Tensors& inputs) const;

 private:
  std::shared_ptr<const capture::SymbolicTrace> trace_;
};

} // namespace touchstone::aot
