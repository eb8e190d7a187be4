#pragma once

#include "backends/PipelineObserver.h"
#include "backends/graph_files/GraphFolder.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace touchstone::graph_files {

struct GraphDumpOptions {
  std::filesystem::path parent; // folders are made in it
  std::string name; // of each folder, before its number
  std::string pipeline; // told in the folder
  bool withValues = false; // what each Graph is given when it first runs, and what it gives, is kept, too
};

struct DumpedCompile;

/// Writes the Graphs of each compile of an AOT pipeline into a folder of its own (GraphFolder): `joint` (without writes, of a
/// min-cut partition with repeated expressions merged; where there is a backward), `forward`, and each `backward` that is
/// compiled with it; of attempts that were given up none is left. What a file cannot hold, and a Graph without nodes, is left out, and told by refused(). Thread-safe; lives in a shared_ptr. The role
/// of torch/_functorch/compilers.py, graph_dumper_aot.
class GraphDumper final : public backends::PipelineObserver, public std::enable_shared_from_this<GraphDumper> {
 public:
  explicit GraphDumper(GraphDumpOptions options) : options_(std::move(options)) {}

  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override;
  void beginAttempt() override;
  void onKept(const backends::Attempts& attempts) override;
  /// Keeps what forward and backward Graphs are given.
  backends::GraphCompiler aroundCompiler(const std::string& stage, backends::GraphCompiler compiler) override;

  /// The folders so far, in the order of the compiles.
  std::vector<std::filesystem::path> folders() const;
  /// Parts that were not written, and why.
  std::vector<std::pair<std::string, std::string>> refused() const;
  void refuse(const std::string& part, const std::string& why);

 private:
  struct Compile {
    std::shared_ptr<DumpedCompile> dumped;
    std::map<std::string, std::optional<ir::TensorMetadata>> saved; // what its forward saves
  };
  /// A part that is about to be compiled.
  struct PendingPart {
    std::shared_ptr<DumpedCompile> dumped;
    std::string part;
  };
  struct Written {
    std::vector<std::filesystem::path> folders;
    std::vector<std::pair<std::string, std::string>> refused;
  };
  // Under the lock.
  Written& written(); // by this thread
  Compile begun(const ir::StageArtifacts& artifacts, const ir::Graph& forward);
  bool write(const Compile& compile, const std::string& part, const ir::Graph& graph,
             std::optional<size_t> primals = std::nullopt);

  const GraphDumpOptions options_;
  mutable std::mutex mutex_;
  std::map<const ir::StageArtifacts*, Compile> compiles_; // each begins anew with its forward
  std::map<std::thread::id, PendingPart> pending_;
  Written written_;
  std::map<std::thread::id, std::vector<Written>> attempts_; // of which none is kept yet
};

/// Runs a Graph node by node below autograd on copies of the inputs; the default generator is afterwards where it was.
/// `generator`: its state for the run; undefined: as it is.
GraphObservation observeGraph(const ir::Graph& graph, const std::vector<at::Tensor>& inputs,
                              const at::Tensor& generator = {});

/// What differs between two runs of a Graph, in a sentence: dtype, sizes, significant strides, or the bits of values (a NaN is a NaN) of an
/// output or of what became of an input. Empty: nothing.
std::string differenceOf(const GraphObservation& found, const GraphObservation& expected);

} // namespace touchstone::graph_files
