#include "backends/aot_autograd/StagePublisher.h"

#include "graph/ir/Arguments.h"

namespace touchstone::aot_autograd {

void StagePublisher::call(const std::string& stage) {
  for (const auto& hook : hooks_) {
    hook->after(stage, artifacts_);
  }
}

void StagePublisher::publish(const std::string& stage, const ir::Graph& graph, const std::vector<ir::NodeId>& outputs) {
  if (hooks_.empty()) {
    return;
  }
  ir::Graph shown = graph;
  shown.output = ir::nodeTuple(outputs);
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

void StagePublisher::publishCapacities(const ir::Graph& graph, const std::vector<int64_t>& capacities) {
  for (size_t i = 0; i < capacities.size() && !hooks_.empty(); ++i) {
    artifacts_.partition.capacities[graph.nodes()[i].name] = capacities[i];
  }
}

void StagePublisher::publishSaved(const ir::Graph& graph, const std::vector<ir::NodeId>& saved) {
  for (size_t i = 0; i < saved.size() && !hooks_.empty(); ++i) {
    artifacts_.partition.saved.push_back(graph.node(saved[i]).name);
  }
}

void StagePublisher::describe(const std::function<ir::GraphSignature()>& signature) {
  if (!hooks_.empty()) {
    artifacts_.signature = signature();
  }
}

void StagePublisher::describeBackward(const std::function<ir::GraphSignature::Backward()>& backward) {
  if (!hooks_.empty()) {
    artifacts_.signature->backwards.push_back(backward());
  }
}

void StagePublisher::replaceable(const std::string& stage, ir::Graph& graph) {
  if (hooks_.empty()) {
    return;
  }
  artifacts_.graphs.emplace_back(stage, graph);
  call(stage);
  graph = *artifacts_.graph(stage);
}

} // namespace touchstone::aot_autograd
