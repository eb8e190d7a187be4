#include "backends/compiled_autograd/BackwardCapture.h"

#include "backends/compiled_autograd/NodeFunctions.h"
#include "program/evaluator/Hooks.h"
#include "program/values/GeneratorState.h"

#include <algorithm>
#include <array>
#include <optional>

namespace touchstone::compiled_autograd {

namespace {

/// What no node behind a segment has saved is freed with it, if not with one before.
void noteLastReads(std::vector<Segment>& segments, const std::vector<size_t>& lastNodes) {
  for (size_t tensor = 0; tensor < lastNodes.size(); ++tensor) {
    const auto segment = std::upper_bound(segments.begin(), segments.end(), lastNodes[tensor],
                                          [](size_t node, const Segment& each) { return node < each.end; });
    if (segment != segments.end()) {
      segment->lastRead.push_back(tensor);
    }
  }
}

} // namespace

/// Kernels of libraries leave bytes to their backward, and trust what lies there.
static bool holdsOpaqueMemory(const std::string& name) {
  constexpr std::array<const char*, 4> kLibraries{"MkldnnRnn", "Cudnn", "Miopen", "ThnnFused"};
  return std::any_of(kLibraries.begin(), kLibraries.end(),
                     [&](const char* library) { return name.find(library) != std::string::npos; });
}

static BackwardGraph capture(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                             const CaptureStart& start, TraceLimits& limits) {
  linkCapture();
  const values::GeneratorStateScope generators;
  std::optional<BackwardTrace> trace;
  while (!trace) { // each time one node more is known not to be traceable
    trace = traceBackward(task, key, waiting, start, limits);
  }
  BackwardGraph graph = graphOf(*trace, task);
  noteLastReads(graph.segments, lastNodesOfTensors(task, key));
  return graph;
}

BackwardGraph captureBackward(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                              const CaptureStart& start, std::set<size_t>& eager) {
  TraceLimits limits{eager};
  return capture(task, key, waiting, start, limits);
}

std::shared_ptr<const SymbolicBackward> captureForSymbols(const BackwardTask& task, BackwardKey& key,
                                                          const BackwardSymbols& symbols, std::set<size_t>& eager) {
  for (const TaskNode& node : task.nodes) {
    const auto* compiled = dynamic_cast<const evaluator::CompiledNode*>(node.node.get());
    if (node.runs && compiled != nullptr && compiled->hasSizesBuiltIn()) {
      throw symbols::NotSymbolic(node.node->name() + " has its sizes built in");
    }
    if (node.runs && holdsOpaqueMemory(node.node->name())) {
      throw symbols::NotSymbolic(node.node->name() + " reads memory that a kernel has left for these sizes");
    }
  }
  const auto fitted = std::make_shared<FittedSizes>(symbols.fitting());
  const WaitingGradients nothing(task.nodes.size());
  TraceLimits limits{eager};
  std::vector<BackwardGraph> captured{capture(task, key, nothing, {}, limits)};
  for (size_t i = 1; i < fitted->fitting.samples().size(); ++i) {
    const LiftedNumbers numbers = symbols.at(fitted->fitting.samples()[i]);
    captured.push_back(capture(task, key, nothing, {.as = &numbers}, limits));
  }
  return std::make_shared<const SymbolicBackward>(symbols, key.scalars, eager, fitted, captured);
}

void linkCapture() {
  static torch::dynamo::autograd::PyCompilerGuard guard(makeNodeFunctionsInterface());
}

} // namespace touchstone::compiled_autograd
