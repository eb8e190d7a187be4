#include "backends/aot_autograd/StagePublisher.h"

#include "graph/ir/Arguments.h"

namespace touchstone::backends {

void StagePublisher::call(const std::string& stage) {
  for (const auto& hook : hooks_) {
    hook->after(stage, artifacts_);
  }
}

void StagePublisher::publish(const std::string& stage, const graph::Graph& graph,
                             const std::vector<graph::NodeId>& outputs) {
  if (hooks_.empty()) {
    return;
  }
  graph::Graph shown = graph;
  shown.output = graph::nodeTuple(outputs);
  artifacts_.graphs.emplace_back(stage, std::move(shown));
  call(stage);
}

void StagePublisher::publish(const std::string& stage, std::string text) {
  if (hooks_.empty()) {
    return;
  }
  artifacts_.texts.emplace_back(stage, std::move(text));
  call(stage);
}

void StagePublisher::publishCapacities(const graph::Graph& graph, const std::vector<int64_t>& capacities) {
  for (size_t i = 0; i < capacities.size() && !hooks_.empty(); ++i) {
    artifacts_.partition.capacities[graph.nodes()[i].name] = capacities[i];
  }
}

void StagePublisher::publishSaved(const graph::Graph& graph, const std::vector<graph::NodeId>& saved) {
  for (size_t i = 0; i < saved.size() && !hooks_.empty(); ++i) {
    artifacts_.partition.saved.push_back(graph.node(saved[i]).name);
  }
}

void StagePublisher::describe(const std::function<graph::FrameSignature()>& signature) {
  if (!hooks_.empty()) {
    artifacts_.signature = signature();
  }
}

void StagePublisher::describeBackward(const std::function<graph::FrameSignature::Backward()>& backward) {
  if (!hooks_.empty()) {
    artifacts_.signature->backwards.push_back(backward());
  }
}

void StagePublisher::replaceable(const std::string& stage, graph::Graph& graph) {
  if (hooks_.empty()) {
    return;
  }
  artifacts_.graphs.emplace_back(stage, graph);
  call(stage);
  graph = *artifacts_.graph(stage);
}

} // namespace touchstone::backends
