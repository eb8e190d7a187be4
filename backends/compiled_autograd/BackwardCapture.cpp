#include "backends/compiled_autograd/BackwardCapture.h"

#include "backends/compiled_autograd/NodeFunctions.h"
#include "program/values/GeneratorState.h"

#include <algorithm>
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

BackwardGraph captureBackward(const BackwardTask& task, BackwardKey& key, const WaitingGradients& waiting,
                              const CaptureStart& start, std::set<size_t>& eager) {
  linkCapture();
  const values::GeneratorStateScope generators;
  std::optional<BackwardTrace> trace;
  TraceLimits limits{eager};
  while (!trace) { // each time one node more is known not to be traceable
    trace = traceBackward(task, key, waiting, start, limits);
  }
  BackwardGraph graph = graphOf(*trace, task);
  noteLastReads(graph.segments, lastNodesOfTensors(task, key));
  return graph;
}

void linkCapture() {
  static torch::dynamo::autograd::PyCompilerGuard guard(makeNodeFunctionsInterface());
}

} // namespace touchstone::compiled_autograd
