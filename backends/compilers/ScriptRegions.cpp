#include "backends/compilers/ScriptRegions.h"

#include "graph/ir/Subgraph.h"
#include "graph/ir/Unsupported.h"
#include "graph/runtime/AutocastStateScope.h"
#include "graph/runtime/GraphCallable.h"
#include "graph/runtime/Interpreter.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace touchstone::backends {

namespace {

constexpr int kLeftOut = -1;

bool isCall(const graph::Node& node) {
  return node.kind == graph::NodeKind::kOperator || node.kind == graph::NodeKind::kCallable;
}

const graph::CallableCall* callableOf(const graph::Graph& graph, const graph::Node& node) {
  return node.kind == graph::NodeKind::kCallable
             ? static_cast<const graph::CallableCall*>(graph.callables().at(static_cast<size_t>(node.callable)).get())
             : nullptr;
}

bool switchesAutocast(const graph::Graph& graph, const graph::Node& node) {
  const graph::CallableCall* call = callableOf(graph, node);
  return call != nullptr && (call->entersContext || call->leavesContext);
}

class RecordedPart final : public CompiledGraph {
 public:
  explicit RecordedPart(graph::Graph graph) : state_(firstCallState(graph)), interpreter_(std::move(graph)) {}

  std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const override {
    const graph::AutocastStateScope autocast(state_);
    return interpreter_.runFlat(std::move(inputs));
  }

 private:
  graph::CallState state_;
  graph::Interpreter interpreter_;
};

} // namespace

void noteAutocast(graph::Graph& graph) {
  std::vector<std::string> before; // by switch, in order: the state in front of it
  int open = 0;
  const auto isSwitch = [&](graph::NodeId id) { return switchesAutocast(graph, graph.node(id)); };
  graph::Interpreter(graph::subgraph(graph, {}, {}, isSwitch)).runFlat({}, [&](const graph::Node& node) {
    if (isCall(node)) {
      before.push_back(graph::currentCallState().autocast);
      open += node.target == "autocast::enter" ? 1 : -1;
    }
  });
  if (open != 0) {
    throw graph::Unsupported("TorchScript: a region of autocast that the Graph does not leave");
  }
  before.push_back(graph::currentCallState().autocast);
  size_t next = 0;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    graph::Node& node = graph.node(static_cast<graph::NodeId>(i));
    node.state.autocast = before.at(next);
    next += switchesAutocast(graph, node) ? 1 : 0;
  }
}

std::map<std::string, int> scriptRegionsOf(const graph::Graph& graph) {
  std::map<std::string, int> regions;
  int region = 0;
  const graph::Node* last = nullptr;
  const auto kindOf = [](const graph::Node& node) {
    return std::tie(node.kind, node.state.gradEnabled, node.state.inference, node.state.autocast);
  };
  for (const graph::Node& node : graph.nodes()) {
    if (!isCall(node)) {
      continue;
    }
    if (switchesAutocast(graph, node)) {
      regions.emplace(node.name, kLeftOut);
      continue;
    }
    region += last != nullptr && kindOf(*last) != kindOf(node) ? 1 : 0;
    last = &node;
    regions.emplace(node.name, region);
  }
  return regions;
}

bool hasScriptRegions(const std::map<std::string, int>& regions) {
  return std::any_of(regions.begin(), regions.end(), [](const auto& entry) { return entry.second != 0; });
}

graph::CallState firstCallState(const graph::Graph& graph) {
  const auto call = std::find_if(graph.nodes().begin(), graph.nodes().end(), isCall);
  return call == graph.nodes().end() ? graph::CallState() : call->state;
}

bool callsNoOperators(const graph::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const graph::Node& node) { return node.kind == graph::NodeKind::kCallable; });
}

std::shared_ptr<const CompiledGraph> runInRecordedState(graph::Graph graph) {
  return std::make_shared<const RecordedPart>(std::move(graph));
}

} // namespace touchstone::backends
