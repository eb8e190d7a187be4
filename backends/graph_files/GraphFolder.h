#pragma once

#include "backends/graph_files/SealedText.h"
#include "backends/graph_files/TensorLists.h"
#include "graph/ir/Graph.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::graph_files {

/// What a Graph of a folder was given and gave when it was dumped: it ran node by node, below autograd.
struct GraphObservation {
  std::vector<at::Tensor> inputs; // before the run
  std::vector<at::Tensor> inputsAfter; // the same when it had run
  std::vector<at::Tensor> outputs; // undefined: None
  at::Tensor generator; // state of the CPU's default generator before the run; undefined: the Graph draws nothing
};

/// What the nodes do not tell of a Graph's inputs.
struct InputFacts {
  std::optional<size_t> primals; // of a joint Graph: so many are the program's; tangents come behind them
  std::vector<at::Tensor>
      examples; // by placeholder: one that is a Python number is written down as that number; may be shorter
};

/// A folder of the Graphs of one compile: `NAME_0`, with a folder a part (`joint`, `forward`, `backward`, …), each of which holds
///
///     graph.json     the Graph, and the values of its constants behind the first line
///     inputs.json    what a tensor for each placeholder is like: dtype, sizes, strides, memory that some share
///     values.bin     optional: a GraphObservation
///     graph.py       the Graph for PyTorch alone; run as a program it does what `touchstone run` does
///
/// and `graphs.json`, which says what it is. Nothing that exists is ever written to: a name that is taken gets the next number, and
/// each file appears whole or not at all. The role of torch/_functorch/compilers.py, _save_fx_default.
class GraphFolder {
 public:
  /// Makes `parent`/`name`_0, or the first number from there on that nobody has. `pipeline`: what compiled the Graphs.
  static GraphFolder make(const std::filesystem::path& parent, const std::string& name, const std::string& pipeline);
  /// One that is there. Throws GraphFileError.
  static GraphFolder open(const std::filesystem::path& path);
  /// Whether the path is such a folder, damaged or not.
  static bool isOne(const std::filesystem::path& path);

  /// Throws ir::Unsupported for what a file cannot hold (the folder is left as it was), and GraphFileError when there is the part
  /// already, or it cannot be written.
  void addPart(const std::string& part, const ir::Graph& graph, const InputFacts& facts = {}) const;
  void addObservation(const std::string& part, const GraphObservation& observation) const;

  std::vector<std::string> parts() const; // joint, forward, then the others by name
  ir::Graph graph(const std::string& part) const;
  std::optional<GraphObservation> observation(const std::string& part) const; // none: none was stored
  const std::filesystem::path& path() const { return path_; }
  const std::string& pipeline() const { return pipeline_; }

 private:
  GraphFolder(std::filesystem::path path, std::string pipeline)
      : path_(std::move(path)), pipeline_(std::move(pipeline)) {}
  std::filesystem::path path_;
  std::string pipeline_;
};

/// Inputs like those that an `inputs.json` tells of: floating and complex numbers from the portable source of Cases (program/values/Data.h, kind
/// `uniform`, a number for each memory), zeros for whole numbers and bools, which may be indices. What was a Python number is that number. On the CPU. The role of
/// torch/_functorch/compilers.py, get_inputs, which makes such tensors contiguous. Throws GraphFileError.
std::vector<at::Tensor> inputsLike(const std::filesystem::path& inputsFile, int64_t seed = 0);

/// The same of a joint Graph in the two parts that it is given: the program's inputs, and the tangents. Throws GraphFileError for
/// an `inputs.json` of another Graph, too.
struct JointInputs {
  std::vector<at::Tensor> primals, tangents;
};
JointInputs jointInputsLike(const std::filesystem::path& inputsFile, int64_t seed = 0);

} // namespace touchstone::graph_files
