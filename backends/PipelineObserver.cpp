#include "backends/PipelineObserver.h"

#include "graph/ir/Arguments.h"

#include <algorithm>
#include <utility>

namespace touchstone::backends {

namespace {

class GraphVisitor final : public PipelineObserver {
 public:
  explicit GraphVisitor(GraphVisit visit) : visit_(std::move(visit)) {}
  void afterStage(const std::string& stage, ir::StageArtifacts& artifacts) override {
    if (const ir::Graph* graph = artifacts.graph(stage)) {
      visit_(stage, artifacts, *graph);
    }
  }

 private:
  GraphVisit visit_;
};

class WatchedGraph final : public CompiledGraph {
 public:
  WatchedGraph(std::shared_ptr<const CompiledGraph> compiled, runtime::NodeWatch watch)
      : compiled_(std::move(compiled)), watch_(std::move(watch)) {}
  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    const runtime::NodeWatchScope scope(watch_);
    return compiled_->run(std::move(inputs));
  }
  bool isCompiled() const override { return compiled_->isCompiled(); }
  std::vector<Assumption> assumptions() const override { return compiled_->assumptions(); }

 private:
  std::shared_ptr<const CompiledGraph> compiled_;
  runtime::NodeWatch watch_;
};

} // namespace

std::shared_ptr<PipelineObserver> visitGraphs(GraphVisit visit) {
  return std::make_shared<GraphVisitor>(std::move(visit));
}

GraphCompiler aroundCompiler(const PipelineObservers& observers, const std::string& stage, GraphCompiler compiler) {
  for (const auto& observer : observers) {
    compiler = observer->aroundCompiler(stage, std::move(compiler));
  }
  return compiler;
}

bool seesSymbols(const PipelineObservers& observers) {
  return std::any_of(observers.begin(), observers.end(), [](const auto& each) { return each->seesSymbols(); });
}

runtime::NodeWatch nodeWatch(const PipelineObservers& observers) {
  std::vector<runtime::NodeWatch> watches;
  for (const auto& observer : observers) {
    if (runtime::NodeWatch watch = observer->nodeWatch()) {
      watches.push_back(std::move(watch));
    }
  }
  if (watches.size() <= 1) {
    return watches.empty() ? nullptr : watches[0];
  }
  return [watches = std::move(watches)](const ir::Node& node, const c10::IValue& value) {
    for (const runtime::NodeWatch& watch : watches) {
      watch(node, value);
    }
  };
}

GraphCompiler watched(const PipelineObservers& observers, GraphCompiler compiler) {
  runtime::NodeWatch watch = nodeWatch(observers);
  if (watch == nullptr) {
    return compiler;
  }
  return [watch = std::move(watch), compiler = std::move(compiler)](ir::Graph graph,
                                                                    const std::vector<at::Tensor>& examples) {
    return std::make_shared<const WatchedGraph>(compiler(std::move(graph), examples), watch);
  };
}

ShownStages::ShownStages(const PipelineObservers& observers)
    : observers_(observers),
      isSeen_(std::any_of(observers.begin(), observers.end(), [](const auto& each) { return each->seesStages(); })) {}

void ShownStages::tell(const std::string& stage) {
  for (const auto& observer : observers_) {
    observer->afterStage(stage, artifacts);
  }
}

void ShownStages::show(const std::string& stage, const ir::Graph& graph, const std::vector<ir::NodeId>& outputs) {
  if (isSeen()) {
    artifacts.graphs.emplace_back(stage, graph).second.output = ir::nodeTuple(outputs);
    tell(stage);
  }
}

void ShownStages::show(const std::string& stage, std::string text) {
  if (isSeen()) {
    artifacts.texts.emplace_back(stage, std::move(text));
    tell(stage);
  }
}

void ShownStages::pass(const std::string& stage, ir::Graph& graph) {
  if (isSeen()) {
    artifacts.graphs.emplace_back(stage, graph);
    tell(stage);
    graph = *artifacts.graph(stage);
  }
}

} // namespace touchstone::backends
