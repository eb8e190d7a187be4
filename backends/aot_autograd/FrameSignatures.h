#pragma once

#include "backends/aot_autograd/RuntimePlan.h"
#include "backends/aot_autograd/TracedArguments.h"
#include "graph/ir/FrameSignature.h"

#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// What a frame's plan says, in words that other pipelines have too; without backwards.
ir::FrameSignature signatureOf(const RuntimePlan& plan, const TracedArguments& arguments, const ir::Graph& forward);

/// The same of the backward of one node of the plan, which takes the saved values at these positions, then the tangents of
/// the roots that have one (-1: none).
ir::FrameSignature::Backward backwardSignature(const RuntimePlan& plan, const std::string& stage,
                                               const std::vector<size_t>& saved,
                                               const std::vector<ir::NodeId>& tangents);

} // namespace touchstone::aot_autograd
