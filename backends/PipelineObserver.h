#pragma once

#include "backends/GraphCompiler.h"
#include "graph/ir/StageArtifacts.h"
#include "graph/runtime/NodeWatch.h"

#include <ATen/core/ivalue.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace touchstone::aot_autograd {
struct ViewAndMutationMetadata;
} // namespace touchstone::aot_autograd

namespace touchstone::backends {

/// Code for symbols, as it was captured under each assignment of a fitting.
struct SymbolicSamples {
  std::vector<std::string> symbols; // what each of them is: `L['x'].size()[0]`
  std::vector<ir::Graph> captured; // by assignment
  symbols::Fitting fitting;
};

/// Where sizes are to be symbols, capture makes several attempts to compile one code, and keeps one.
struct Attempts {
  size_t kept = 0;
  std::vector<std::string> whyNot; // by attempt; of the one that is kept empty
  std::shared_ptr<SymbolicSamples> samples; // of that one, where an observer sees symbols; null: it has numbers
};

/// Looks into a pipeline while it compiles and runs, and may change what passes through: dumps, explanations, laws, checks and
/// planted faults are observers, and no stage knows of them. Does nothing unless it is overridden. `stage`: see ir::kStages.
class PipelineObserver {
 public:
  virtual ~PipelineObserver() = default;
  /// After a stage has run, with everything that there is so far. The pipeline goes on with what is done to the stage's own
  /// Graph where that is what runs: `forward` and `backward`, and what a pipeline without AOT autograd shows. A backward
  /// that is compiled later is not shown.
  virtual void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) {}
  /// What compiles instead of `compiler` (null: the pipeline runs such Graphs node by node) the Graphs that this stage leaves:
  /// `captured`, `forward` or `backward`, those compiled later included.
  virtual GraphCompiler aroundCompiler(const std::string& stage, GraphCompiler compiler) { return compiler; }
  /// What an AOT pipeline has planned to do around the compiled Graphs, before they are compiled; it goes on with what is left.
  virtual void onPlan(aot_autograd::ViewAndMutationMetadata& plan) {}
  /// False: afterStage() does nothing, and what it would be given need not be made.
  virtual bool seesStages() const { return true; }
  /// Before each attempt; what the stages leave from here on is of this one.
  virtual void beginAttempt() {}
  /// Behind the attempts since it was told last, which are at least one.
  virtual void onKept(const Attempts& attempts) {}
  /// True: onSamples() is told, and Attempts::samples are there.
  virtual bool seesSymbols() const { return false; }
  /// What the stages of an AOT pipeline have left, of the last attempt, under the further assignments of its fitting.
  virtual void onSamples(const std::vector<ir::StageArtifacts>& others) {}
  /// Told of the value that a node has got in a Graph that runs node by node; empty: of none.
  virtual runtime::NodeWatch nodeWatch() { return nullptr; }
};
using PipelineObservers = std::vector<std::shared_ptr<PipelineObserver>>;

/// Calls a function after each stage that leaves a Graph.
using GraphVisit =
    std::function<void(const std::string& stage, const ir::StageArtifacts& artifacts, const ir::Graph& graph)>;
std::shared_ptr<PipelineObserver> visitGraphs(GraphVisit visit);

/// A compiler with what all of them put around it, the last one outermost.
GraphCompiler aroundCompiler(const PipelineObservers& observers, const std::string& stage, GraphCompiler compiler);
bool seesSymbols(const PipelineObservers& observers);
/// Tells all of them of a node that want to know; empty: there are none.
runtime::NodeWatch nodeWatch(const PipelineObservers& observers);
/// A compiler of Graphs whose nodes they are told of.
GraphCompiler watched(const PipelineObservers& observers, GraphCompiler compiler);

/// Shows observers what the stages of one compile leave. Costs nothing without any. Keeps a reference.
class ShownStages {
 public:
  explicit ShownStages(const PipelineObservers& observers);

  bool isSeen() const { return isSeen_; }
  /// A copy of the Graph with these outputs (-1: None); what observers do to it has no effect.
  void show(const std::string& stage, const ir::Graph& graph, const std::vector<ir::NodeId>& outputs);
  void show(const std::string& stage, std::string text);
  /// The Graph that the pipeline goes on with; observers may change it.
  void pass(const std::string& stage, ir::Graph& graph);

  ir::StageArtifacts artifacts; // what besides Graphs and texts is filled in where isSeen()

 private:
  void tell(const std::string& stage);

  const PipelineObservers& observers_;
  const bool isSeen_;
};

} // namespace touchstone::backends
