#include "backends/compilers/ScriptedGraph.h"

#include "backends/compilers/JitAutocastScope.h"
#include "backends/compilers/TorchScriptErrors.h"
#include "graph/runtime/AutocastStateScope.h"
#include "graph/runtime/CallStateScope.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace touchstone::compilers {

namespace {

using OperatorCounts = std::map<std::string, int64_t>;

/// What the executor adds for itself, and what only carries values.
bool isBookkeeping(c10::Symbol kind) {
  static const std::set<c10::Symbol> kBookkeeping{c10::prim::Constant,       c10::prim::GetAttr,
                                                  c10::prim::TupleConstruct, c10::prim::TupleUnpack,
                                                  c10::prim::profile,        c10::prim::profile_ivalue,
                                                  c10::prim::TypeCheck,      c10::prim::RequiresGradCheck,
                                                  c10::prim::FallbackGraph,  c10::prim::If,
                                                  c10::prim::BailOut};
  return kBookkeeping.contains(kind);
}

void count(const torch::jit::Graph& graph, OperatorCounts& counts);

void count(at::ArrayRef<const torch::jit::Block*> blocks, OperatorCounts& counts) {
  for (const torch::jit::Block* block : blocks) {
    for (const torch::jit::Node* node : block->nodes()) {
      if (!isBookkeeping(node->kind())) {
        ++counts[node->kind().toQualString()];
      }
      if (node->kind() == c10::prim::If) { // what the checks were made for; the other branch is what was there before
        count(node->blocks().slice(0, 1), counts);
      } else {
        count(node->blocks(), counts);
      }
      if (node->kind() != c10::prim::FallbackGraph && node->hasAttribute(c10::attr::Subgraph)) {
        count(*node->g(c10::attr::Subgraph), counts);
      }
    }
  }
}

void count(const torch::jit::Graph& graph, OperatorCounts& counts) {
  const torch::jit::Block* block = graph.block();
  count(block, counts);
}

} // namespace

ScriptedGraph::ScriptedGraph(torch::jit::Module module, std::shared_ptr<torch::jit::Graph> written,
                             std::optional<ir::CallState> state, bool autocast)
    : module_(std::move(module)),
      forward_(module_.get_method("forward")),
      written_(std::move(written)),
      state_(std::move(state)),
      autocast_(autocast) {}

std::vector<at::Tensor> ScriptedGraph::run(std::vector<at::Tensor> inputs) const {
  std::optional<JitAutocastScope> withoutAutocast;
  if (!autocast_) {
    withoutAutocast.emplace();
  }
  std::optional<runtime::CallStateScope> state;
  std::optional<runtime::AutocastStateScope> autocast;
  std::optional<c10::AutoGradMode> withoutGradients;
  if (state_) {
    state.emplace(*state_);
    autocast.emplace(*state_);
  } else {
    withoutGradients.emplace(false);
  }
  torch::jit::Stack stack;
  for (at::Tensor& input : inputs) {
    stack.emplace_back(std::move(input));
  }
  inputs.clear();
  torch::jit::Method forward = forward_;
  withErrorsOfOperators([&] { forward.run(stack); });
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& output : stack.at(0).toTupleRef().elements()) {
    outputs.push_back(output.isTensor() ? output.toTensor() : at::Tensor());
  }
  return outputs;
}

std::shared_ptr<torch::jit::Graph> ScriptedGraph::optimized() const {
  auto& function = torch::jit::toGraphFunction(forward_.function());
  torch::jit::GraphExecutor& executor = function.get_executor();
  if (!executor.isOptimized()) {
    return function.graph();
  }
  const auto plans = executor.getDebugState().execution_plans;
  return plans.empty() ? function.graph() : plans.begin()->second.graph;
}

int64_t ScriptedGraph::changedNodes() const {
  return differingNodes(*written_, *optimized());
}

int64_t differingNodes(const torch::jit::Graph& left, const torch::jit::Graph& right) {
  OperatorCounts difference, other;
  count(left, difference);
  count(right, other);
  for (const auto& [kind, number] : other) {
    difference[kind] -= number;
  }
  int64_t sum = 0;
  for (const auto& [kind, number] : difference) {
    sum += std::abs(number);
  }
  return sum;
}

} // namespace touchstone::compilers
