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

namespace touchstone::compilers {

namespace {

constexpr int kLeftOut = -1;

bool isCall(const ir::Node& node) {
  return node.kind == ir::NodeKind::kOperator || node.kind == ir::NodeKind::kCallable;
}

const runtime::CallableCall* callableOf(const ir::Graph& graph, const ir::Node& node) {
  return node.kind == ir::NodeKind::kCallable
             ? static_cast<const runtime::CallableCall*>(graph.callables().at(static_cast<size_t>(node.callable)).get())
             : nullptr;
}

bool switchesAutocast(const ir::Graph& graph, const ir::Node& node) {
  const runtime::CallableCall* call = callableOf(graph, node);
  return call != nullptr && (call->entersContext || call->leavesContext);
}

} // namespace

void noteAutocast(ir::Graph& graph) {
  std::vector<std::string> before; // by switch, in order: the state in front of it
  int open = 0;
  const auto isSwitch = [&](ir::NodeId id) { return switchesAutocast(graph, graph.node(id)); };
  runtime::Interpreter(ir::subgraph(graph, {}, {}, isSwitch)).runFlat({}, [&](const ir::Node& node) {
    if (isCall(node)) {
      before.push_back(runtime::currentCallState().autocast);
      open += node.target == "autocast::enter" ? 1 : -1;
    }
  });
  if (open != 0) {
    throw ir::Unsupported("TorchScript: a region of autocast that the Graph does not leave");
  }
  before.push_back(runtime::currentCallState().autocast);
  size_t next = 0;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    ir::Node& node = graph.node(static_cast<ir::NodeId>(i));
    node.state.autocast = before.at(next);
    next += switchesAutocast(graph, node) ? 1 : 0;
  }
}

std::map<std::string, int> scriptRegionsOf(const ir::Graph& graph) {
  std::map<std::string, int> regions;
  int region = 0;
  const ir::Node* last = nullptr;
  const auto kindOf = [](const ir::Node& node) {
    return std::tie(node.kind, node.state.gradEnabled, node.state.inference, node.state.autocast);
  };
  for (const ir::Node& node : graph.nodes()) {
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

ir::CallState firstCallState(const ir::Graph& graph) {
  const auto call = std::find_if(graph.nodes().begin(), graph.nodes().end(), isCall);
  return call == graph.nodes().end() ? ir::CallState() : call->state;
}

bool callsNoOperators(const ir::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const ir::Node& node) { return node.kind == ir::NodeKind::kCallable; });
}

std::shared_ptr<const backends::CompiledGraph> runInRecordedState(ir::Graph graph) {
  const ir::CallState state = firstCallState(graph);
  return backends::graphOf([state, part = backends::interpreted(std::move(graph))](std::vector<at::Tensor> inputs) {
    const runtime::AutocastStateScope autocast(state);
    return part->run(std::move(inputs));
  });
}

} // namespace touchstone::compilers
