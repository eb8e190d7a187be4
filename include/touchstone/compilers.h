#pragma once

#include <touchstone/aot.h>
#include <touchstone/backend.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace touchstone::modes {
class Mode;
}

/// Compilers for `Options::forwardCompiler` and `backwardCompiler` of aot.h, for looking at what the pipeline makes,
/// for running it by TorchScript, and for keeping its Graphs. Behaviour: torch/_functorch/compilers.py of PyTorch 2.13,
/// whose names these are.
namespace touchstone::aot {

/// Leaves the Graph as it is; it is run node by node.
Compiler nop();

/// nop() that gives the Graph's code, with dtypes and sizes, to `print` first; null: standard output.
Compiler printCompile(std::function<void(const std::string& code)> print = nullptr);

/// nop() under which each value is held against what was traced: dtype, sizes, and strides of dimensions of more than
/// one element. What differs is an error (std::runtime_error) that names node, operator, and both values.
Compiler debugNop();

/// While it lives, Graphs that run node by node on this thread (nop(), and what has no compiler) run as under
/// debugNop(), whenever they were compiled: a switch at run time. A backward on the CPU runs on the thread that asks
/// for it. The role of `boxed_nop` under a DebugMode with run_compile_with_interpreter.
class DebugInterpreterScope {
 public:
  DebugInterpreterScope();
  ~DebugInterpreterScope();
  DebugInterpreterScope(const DebugInterpreterScope&) = delete;
  DebugInterpreterScope& operator=(const DebugInterpreterScope&) = delete;

 private:
  class Implementation;
  const std::unique_ptr<Implementation> implementation_;
};

struct DrawOptions {
  bool clearMeta = true; // without dtype and sizes of each node
  bool print = true; // the code as well, as printCompile()
};
/// nop() that prints the Graph's code and draws it into `name`.svg, operators coloured by family; where there is no
/// Graphviz on this machine, into `name`.dot, which it lays out elsewhere. A file that is there is left alone: the next
/// one is `name`_1.svg, and so on. Throws std::runtime_error when neither can be written.
Compiler drawGraphCompile(const std::filesystem::path& name, const DrawOptions& options = {});

/// By TorchScript: overloads resolved, scripted, writes removed, frozen, optimized for inference. ir::Unsupported for
/// what TorchScript has no node for: docs/torchscript.md.
Compiler tsCompile();
/// Scripted and frozen.
Compiler simpleTsCompile();
/// aotFunction() with simpleTsCompile().
CompiledFunction nncJit(Function function);

/// The options of memoryEfficientFusion(): tsCompile(), the cheapest cut, Decompositions::defaults(). Change them as
/// you like.
Options fusionOptions();
/// aotFunction() and aotModule() with these. Gradients, writes and aliases stay eager's; values may round otherwise.
CompiledFunction memoryEfficientFusion(Function function, const Options& options = fusionOptions());
CompiledFunction memoryEfficientFusion(std::shared_ptr<torch::nn::Module> module, Function forward,
                                       const Options& options = fusionOptions());

/// tsCompile() that writes the Graph into a folder of its own first (`parent`/`name`_0, …), reads it from there and
/// runs it on its inputs, and says on standard output how it is run again: by `touchstone run FOLDER`, and by Python
/// with nothing but PyTorch, or made smaller where it is wrong, by `touchstone reduce FOLDER`, on inputs like the
/// nodes' metadata, or, where a node has none, like its example; without either it says that the Graph cannot be run
/// again. What the written Graph raises is thrown. What a file cannot hold is compiled all the same.
Compiler debugCompile(const std::filesystem::path& parent, const std::string& name = "graph");

/// A compiler of captured Graphs (capture()): AOT autograd with the default partition and Decompositions::defaults(),
/// whose joint, forward and backward Graphs are written into `parent`/`name`_0, the next compile's into
/// `parent`/`name`_1, …: docs/graph_files.md. With `dumpExampleInput` what each is given when it first runs is kept
/// there, too. `examples` are the tensors of a call. A warning (TORCH_WARN) names each Graph that is not written: it
/// has no nodes, or a file cannot hold it.
Compiler graphDumperAot(const std::string& name, const std::filesystem::path& parent, bool dumpExampleInput = false);

/// Graphs run node by node, and `mode` (touchstone/modes.h) sees each call before it is made. A null mode is
/// c10::ValueError. Of captured graphs (capture()), with autograd on:
Compiler eagerWithMode(std::shared_ptr<modes::Mode> mode);
/// nop() in a mode, of forward or backward graphs. `role` is what the mode is told that the Graph is.
Compiler boxedNopWithMode(std::shared_ptr<modes::Mode> mode, touchstone_role role);
/// Of captured graphs: AOT autograd, operators replaced by simpler ones and the joint Graph cut as Inductor would have
/// it; the mode sees what forward and backward call then.
Compiler aotEagerDecompPartitionWithMode(std::shared_ptr<modes::Mode> mode);

/// Inputs like those that a Graph of such a folder takes (`parent/name_0/forward/inputs.json`), with the same sizes,
/// strides and sharing of memory (where tensors of one dtype share it): random floating numbers, the same on every
/// machine, and zeros for whole ones, which may be indices; a Python number among the inputs (a tensor that takes a
/// number's part in type promotion) is itself. Throws std::runtime_error for a file that is missing, damaged, or of a
/// newer format.
Tensors getInputs(const std::filesystem::path& inputsFile);
/// Those of a joint Graph in the two parts that it is given. std::runtime_error for the file of another Graph, too.
struct JointInputs {
  Tensors primals, tangents;
};
JointInputs getJointInputs(const std::filesystem::path& inputsFile);
/// A Graph of such a folder; `part` is `joint`, `forward`, `backward`. Throws std::runtime_error likewise.
ir::Graph getGraph(const std::filesystem::path& folder, const std::string& part);

} // namespace touchstone::aot
