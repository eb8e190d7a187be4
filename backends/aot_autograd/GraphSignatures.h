#pragma once

#include "backends/aot_autograd/BackwardRecorder.h"
#include "backends/aot_autograd/TracedArguments.h"
#include "backends/aot_autograd/ViewAndMutationMetadata.h"
#include "graph/ir/GraphSignature.h"

#include <string>
#include <vector>

namespace touchstone::aot_autograd {

/// What a plan says, in words that other pipelines have too; without backwards.
ir::GraphSignature signatureOf(const ViewAndMutationMetadata& plan, const TracedArguments& arguments,
                               const ir::Graph& forward);

/// The same of the backward of one node of the plan, which takes the saved values at these positions, then the tangents of
/// the roots that have one, then the memory of the inputs that it writes to.
ir::GraphSignature::Backward backwardSignature(const ViewAndMutationMetadata& plan, const std::string& stage,
                                               const std::vector<size_t>& saved, const FunctionalBackward& recorded);

} // namespace touchstone::aot_autograd
