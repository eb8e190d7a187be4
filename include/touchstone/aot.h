#pragma once

#include "graph/ir/CompileReport.h"
#include "graph/ir/Graph.h"
#include "graph/ir/Unsupported.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace c10 {
struct IValue;
}
namespace torch::nn {
class Module;
}
namespace touchstone::decompositions {
class DecompositionTable;
}

/// AOT autograd in C++: a function of tensors, its gradient traced ahead of time, both handed to compilers as Graphs below
/// autograd and without writes.
///
/// Everything here may be called from several threads. Errors of the caller's function are its own (c10::Error as a rule);
/// ir::Unsupported says what cannot be compiled, and why. Sizes, strides and dtypes are those of the example: nothing is
/// symbolic. Behaviour: torch/_functorch/aot_autograd.py of PyTorch 2.13.
namespace touchstone::aot {

/// An undefined tensor stands for None.
using Tensors = std::vector<at::Tensor>;

/// What is compiled. It runs on fake tensors, whose values it cannot read, and once for each compilation.
using Function = std::function<Tensors(const Tensors& arguments)>;

/// What runs a Graph: takes a tensor for each placeholder, in order, returns one for each output. It may let go of an input
/// as soon as it has read it. Several threads may call it at once.
using GraphFunction = std::function<Tensors(Tensors inputs)>;

/// Compiles a Graph whose output is a flat tuple of tensors and None. `examples`, by placeholder, have no values: they are
/// on the meta device, with the dtype, sizes and strides of what the Graph will get. It is called when something is
/// compiled, and later, when a backward from other outputs or for other strides of tangents is wanted; by whichever thread
/// wants it, perhaps by several at once.
using Compiler = std::function<GraphFunction(const ir::Graph& graph, const Tensors& examples)>;

/// Runs the Graph node by node: what a compiler that only wants to look at it returns. Throws c10::Error when an operator
/// in it does not exist.
GraphFunction interpret(ir::Graph graph);

/// The Graph as Python code, a line a node, with dtypes and sizes.
std::string codeOf(const ir::Graph& graph);

/// Which operators are replaced by simpler ones, forward and backward. A value: each function gives a new selection.
/// Operators are named as Graphs name them: `aten::addcmul`, `aten::var.correction`. An operator that is made of others
/// above autograd (`aten::linear`) is never met.
class Decompositions {
 public:
  /// Gets a stack with the operator's arguments in the order of its schema, leaves the results there. Runs on fake tensors
  /// below autograd; writes to nothing that it is given. Results have the operator's sizes and dtypes, else compiling throws
  /// c10::Error; strides are given to them.
  using Boxed = std::function<void(std::vector<c10::IValue>& stack)>;

  Decompositions() = default; // none
  static Decompositions all(); // every one that there is; docs/decompositions.md lists them
  static Decompositions defaults(); // torch/_functorch/compilers.py, default_decompositions
  static Decompositions coreAten(); // torch/_decomp/__init__.py, core_aten_decompositions
  /// One of these by the name that PyTorch has for it: `default_decompositions`, `core_aten`, `inductor`; or `all`, `none`. Throws
  /// std::invalid_argument that lists them.
  static Decompositions named(const std::string& name);
  static Decompositions inductor(); // torch/_inductor/decomposition.py, select_decomp_table

  /// Those of these operators, and all others. Throw std::invalid_argument for one that has no decomposition here.
  Decompositions only(const std::vector<std::string>& operators) const;
  Decompositions without(const std::vector<std::string>& operators) const;
  /// With one more, which takes the place of the one that is there. Throws c10::Error when there is no such operator.
  Decompositions with(const std::string& name, Boxed compute) const;

  /// In alphabetical order.
  std::vector<std::string> operators() const;
  /// Null: none.
  const std::shared_ptr<const decompositions::DecompositionTable>& table() const { return table_; }

 private:
  explicit Decompositions(std::shared_ptr<const decompositions::DecompositionTable> table) : table_(std::move(table)) {}
  std::shared_ptr<const decompositions::DecompositionTable> table_;
};

/// The joint Graph that a partitioner cuts: forward and backward without writes, repeated expressions merged. It lives as
/// long as the partitioner runs.
struct JointGraph {
  const ir::Graph& graph;
  std::vector<ir::NodeId> inputs, tangents; // placeholders
  std::vector<ir::NodeId> outputs, gradients; // what forward and backward give; -1: None
  ir::NodeId backwardBegin; // the first node of the backward
  std::vector<ir::NodeId> readByBackward; // values of the forward: what the default partition saves
};

/// The values of the forward that it saves; the backward computes everything else again from them. What it does not need
/// is left out; inputs and random draws that it needs are saved in any case. Throws what it likes.
using Partitioner = std::function<std::vector<ir::NodeId>(const JointGraph& joint)>;

enum class Partition {
  kDefault, // every value that the backward reads is saved
  kMinCut, // what is cheapest to save: torch/_functorch/partitioners.py, min_cut_rematerialization_partition
};

struct Options {
  /// Null: Graphs are run node by node.
  Compiler forwardCompiler;
  Compiler backwardCompiler; // null: forwardCompiler
  Compiler inferenceCompiler; // of what is called without gradients; null: forwardCompiler
  Decompositions decompositions;
  Partition partition = Partition::kDefault;
  double memoryBudget = 1; // of kMinCut: from 0 (save the inputs alone) to 1 (no limit)
  /// Instead of `partition`. Not asked where a frame has no backward, or where eager itself keeps memory that others write to
  /// without autograd's noticing. Naming a node that is no tensor of the forward is std::invalid_argument.
  Partitioner partitioner;
  /// A Graph without gradients ends in the writes to its inputs, by `copy_`; otherwise they are made behind it.
  bool keepInferenceInputMutations = false;
  /// Tokens that keep effects in order (touchstone/effects.h) are made and sunk in the Graphs, rather than the first argument
  /// and result of a forward and the last ones of a backward.
  bool unliftEffectTokens = false;
  /// Trace with the values of the example, at the cost of computing it once; otherwise tensors have sizes alone.
  bool traceWithValues = true;
  /// Told why what was compiled for other arguments of a CompiledFunction is not used, before it is compiled anew; by the
  /// thread that calls.
  std::function<void(const std::string& reason)> onGuardFailure;
  /// Of aotModuleSimplified(): each call is held to its promise, and one that breaks it is an error that says how
  /// (torch/_functorch/config.py, debug_assert).
  bool debugAssert = false;
  int64_t recompileLimit = 64; // of a CompiledFunction; behind it the function runs as it is
};

/// A function compiled once for each kind of arguments that it is called with. Copies share what was compiled; calls may
/// come from several threads. Autograd's graph of a call keeps what its backward needs alive.
class CompiledFunction {
 public:
  /// Made by aotFunction() and aotModule().
  class Implementation;
  explicit CompiledFunction(std::shared_ptr<Implementation> implementation)
      : implementation_(std::move(implementation)) {}

  /// What the function returns and does to its arguments. An argument that is returned is the very object. Throws what the
  /// function throws, and ir::Unsupported when it cannot be compiled.
  Tensors operator()(Tensors arguments) const;
  /// Graphs, operators, reasons of recompiles, guards.
  ir::CompileReport report() const;

 private:
  std::shared_ptr<Implementation> implementation_;
};

/// Compiles a function when it is called: the role of aot_function. What was compiled is guarded by everything that the
/// function can see of its arguments but their values, and by the grad mode and autocast; other arguments compile anew.
///
/// The function must not read values (`item()`), pointers to data, or tensors that are no arguments, nor call `backward()`
/// or custom autograd functions: ir::Unsupported. What else it reads (numbers that it captured) must not change.
CompiledFunction aotFunction(Function function, const Options& options = {});

/// The same for a module: the role of aot_module. `forward` calls it: `[model](const Tensors& x) -> Tensors { return
/// {model->forward(x[0])}; }`. Its parameters and buffers, as they are now, are inputs of the Graphs in the order of
/// named_parameters() and named_buffers(): gradients reach them, buffers that the forward changes are changed. The result
/// keeps the module alive. Compile again after its tensors were replaced or it was switched by train() or eval().
CompiledFunction aotModule(std::shared_ptr<torch::nn::Module> module, Function forward, const Options& options = {});

/// Compiles a captured Graph at once, for inputs like `examples`, without guards and without a cache: the role of
/// aot_module_simplified. That later inputs have the same sizes, strides, dtypes, sharing and requires_grad, and are called
/// in the same grad mode, is the caller's promise. Throws what the Graph raises.
GraphFunction aotModuleSimplified(ir::Graph graph, const Tensors& examples, const Options& options = {});

/// The same for a module and its forward, see aotModule(). Takes the arguments of `forward` alone; another number of them
/// than there are examples is c10::Error. Placeholders are parameters, buffers, then arguments, those included that the
/// forward does not read. The examples and the module's tensors stay as they are.
GraphFunction aotModuleSimplified(std::shared_ptr<torch::nn::Module> module, Function forward, const Tensors& examples,
                                  const Options& options = {});

/// The function as one Graph above autograd, for arguments like `examples`: a placeholder for each, in order. Throws as
/// aotFunction() says, when it is called.
ir::Graph capture(const Function& function, const Tensors& examples);

/// The functional Graph below autograd, as data: the role of aot_export_joint_simple. It takes the inputs and returns the
/// outputs. With `traceJoint` a tangent for each output that requires grad, in order and laid out like it, follows the
/// inputs, and the gradient of each input (None: it has none) follows the outputs. Of `options` decompositions and
/// traceWithValues count.
///
/// Throws ir::Unsupported where the Graph could not be called as the function is: it writes to an input, returns an
/// input, a view of one, or two tensors in the same memory; when two examples share memory; or where an operator of the
/// backward has an effect. Those of the forward are kept in order by tokens that the Graph makes.
ir::Graph aotExportJointSimple(const Function& function, const Tensors& examples, bool traceJoint,
                               const Options& options = {});
/// The same for a captured Graph.
ir::Graph aotExportJointSimple(const ir::Graph& graph, const Tensors& examples, bool traceJoint,
                               const Options& options = {});

} // namespace touchstone::aot
