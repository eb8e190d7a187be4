#pragma once

#include "backends/aot_autograd/CompiledAotGraph.h"
#include "backends/graph_files/GraphFolder.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::graph_files {

struct GraphDumpOptions {
  std::filesystem::path parent; // folders are made in it
  std::string name; // of each folder, before its number
  std::string pipeline; // told in the folder
  bool withValues = false; // what each Graph is given when it first runs, and what it gives, is kept, too
};

/// Writes the Graphs of each compile of an AOT pipeline into a folder of its own (GraphFolder): `joint` (without writes, of a min-cut partition
/// with repeated expressions merged; where there is a backward), `forward`, and each `backward` that is compiled with it.
/// What a file cannot hold is left out, and told by refused(). Copies write together; thread-safe.
/// The role of torch/_functorch/compilers.py, graph_dumper_aot.
class GraphDumper {
 public:
  explicit GraphDumper(GraphDumpOptions options);

  /// `options` of a pipeline, its Graphs written.
  aot_autograd::AotOptions with(aot_autograd::AotOptions options) const;
  /// The two parts of that: what sees the stages, and what goes around the compilers of forward and backward Graphs (null: they run
  /// node by node) to keep what they are given.
  std::shared_ptr<ir::StageHook> hook() const;
  backends::GraphCompiler around(backends::GraphCompiler compiler) const;

  /// The folders so far, in the order of the compiles.
  std::vector<std::filesystem::path> folders() const;
  /// Parts that were not written, and why.
  std::vector<std::pair<std::string, std::string>> refused() const;

  class Implementation;

 private:
  std::shared_ptr<Implementation> implementation_;
};

/// Runs a Graph node by node below autograd on copies of the inputs; the default generator is afterwards where it was.
/// `generator`: its state for the run; undefined: as it is.
GraphObservation observeGraph(const ir::Graph& graph, const std::vector<at::Tensor>& inputs,
                              const at::Tensor& generator = {});

/// What differs between two runs of a Graph, in a sentence: dtype, sizes, significant strides, or the bits of values (a NaN is a NaN) of an
/// output or of what became of an input. Empty: nothing.
std::string differenceOf(const GraphObservation& found, const GraphObservation& expected);

} // namespace touchstone::graph_files
