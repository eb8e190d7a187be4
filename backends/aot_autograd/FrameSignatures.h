#pragma once

#include "backends/aot_autograd/RuntimePlan.h"
#include "backends/aot_autograd/TracedArguments.h"
#include "graph/ir/FrameSignature.h"

#include <string>
#include <vector>

namespace touchstone::backends {

/// What a frame's plan says, in words that other pipelines have too; without backwards.
graph::FrameSignature signatureOf(const RuntimePlan& plan, const TracedArguments& arguments,
                                  const graph::Graph& forward);

/// The same of the backward of one node of the plan, which takes the saved values at these positions, then the tangents of
/// the roots that have one (-1: none).
graph::FrameSignature::Backward backwardSignature(const RuntimePlan& plan, const std::string& stage,
                                                  const std::vector<size_t>& saved,
                                                  const std::vector<graph::NodeId>& tangents);

} // namespace touchstone::backends
